"""Trees in DyNet, with the weights of the PyTorch models: what batches of trees are compared with.

Neubig et al.: "DyNet: The Dynamic Neural Network Toolkit", 2017, and "On-the-fly Operation Batching
in Dynamic Computation Graphs", NeurIPS 2017, which finds operations of a batch that can run
together. Needs `dynet38`. DyNet decides once per process whether it batches.
"""

import numpy as np


def child_sum(batching):
    """Return what prepares a child-sum Tree-LSTM, with auto-batching or without."""
    return lambda model: _runner(model, _ChildSum, batching)


def tree_fc(batching):
    """Return what prepares a Tree-FC, with auto-batching or without."""
    return lambda model: _runner(model, _TreeFC, batching)


class _ChildSum:
    """The child-sum Tree-LSTM of `zoo/tree_lstm.py`; gates have matrices of their own."""

    def __init__(self, dy, parameters, model):
        self.dy = dy
        self.words = _lookup(parameters, model.emb)
        self.size = model.mem_dim
        matrices = zip(
            model.ioux.weight.chunk(3), model.ioux.bias.chunk(3), model.iouh.weight.chunk(3),
            strict=True,
        )  # fmt: skip
        self.input, self.out, self.update = (
            [_given(parameters, each) for each in gate] for gate in matrices
        )
        forget = (model.fx.weight, model.fx.bias, model.fh.weight)
        self.forget = [_given(parameters, each) for each in forget]
        self.output = [
            _given(parameters, each) for each in (model.output.weight, model.output.bias)
        ]

    def gate(self, gate, word, state):
        weight, bias, recurrent = gate
        return self.dy.affine_transform([bias, weight, word, recurrent, state])

    def encode(self, tree):
        dy = self.dy
        word = self.words[tree.word]
        children = [self.encode(child) for child in tree.children]
        total = dy.esum([h for _, h in children]) if children else dy.zeros(self.size)
        c = dy.cmult(
            dy.logistic(self.gate(self.input, word, total)),
            dy.tanh(self.gate(self.update, word, total)),
        )
        kept = [
            dy.cmult(dy.logistic(self.gate(self.forget, word, child_h)), child_c)
            for child_c, child_h in children
        ]
        c = dy.esum([c, *kept])
        return c, dy.cmult(dy.logistic(self.gate(self.out, word, total)), dy.tanh(c))

    def __call__(self, tree):
        weight, bias = self.output
        return self.dy.affine_transform([bias, weight, self.encode(tree)[1]])


class _TreeFC:
    """The Tree-FC of `zoo/tree_fc.py`; the layer has a matrix for the left part and the right."""

    def __init__(self, dy, parameters, model):
        self.dy = dy
        self.words = _lookup(parameters, model.embedding)
        left, right = model.fc.weight.chunk(2, dim=1)
        self.layer = [_given(parameters, each) for each in (model.fc.bias, left, right)]
        self.output = [
            _given(parameters, each) for each in (model.output.weight, model.output.bias)
        ]

    def encode(self, node):
        if node.left is None:
            return self.words[node.word]
        bias, left, right = self.layer
        parts = [bias, left, self.encode(node.left), right, self.encode(node.right)]
        return self.dy.rectify(self.dy.affine_transform(parts))

    def __call__(self, tree):
        weight, bias = self.output
        return self.dy.affine_transform([bias, weight, self.encode(tree)])


def _runner(model, kind, batching):
    import dynet_config

    dynet_config.set(mem="1024", autobatch=int(batching), random_seed=1)
    import dynet as dy

    parameters = dy.ParameterCollection()
    network = kind(dy, parameters, model)

    def run(inputs, owner=parameters):
        # weights live as long as their owner, of which the network has none
        dy.renew_cg()
        outputs = [network(*arguments) for arguments in inputs]
        dy.forward(outputs)
        return [output.npvalue()[None] for output in outputs]

    return run


def _given(parameters, tensor):
    return parameters.parameters_from_numpy(_array(tensor))


def _lookup(parameters, embedding):
    # DyNet has the words last
    return parameters.lookup_parameters_from_numpy(_array(embedding.weight))


def _array(tensor):
    return np.ascontiguousarray(tensor.detach().numpy())
