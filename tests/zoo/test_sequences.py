"""Decoders of the zoo have learned their languages, and do what their papers say."""

from typing import Any

import pytest
import torch
import torch.nn.functional as F

from zoo import bert, gpt, lstm, picture_captioner, seq2seq_attention, translation, tree_fc
from zoo.catalog import CATALOG, Entry, Family
from zoo.measurement import HELD_OUT_SEED, measure

TRAINED = [e for e in CATALOG if e.family is Family.GENERATION and e.trained]


@pytest.mark.parametrize("entry", TRAINED, ids=[entry.name for entry in TRAINED])
def test_most_held_out_sequences_are_right_to_the_last_word(entry: Entry) -> None:
    _, run = entry.prepare()
    labelled = entry.labelled_inputs(40, HELD_OUT_SEED)
    assert labelled is not None
    measured = measure(run, entry.decide, labelled)
    assert measured.accuracy >= 0.7
    assert len(measured.paths) >= 3


def test_kept_keys_and_values_give_what_reading_all_again_gives() -> None:
    model = gpt.build_model()
    for (prompt,) in gpt.sample_inputs(5, 1):
        with torch.no_grad():
            generated = model.generate(prompt)
            idx = prompt
            while idx[0, -1] != gpt.STOP and idx.size(1) < generated.size(1):
                logits, _ = model(idx)
                idx = torch.cat([idx, logits[:, -1].argmax(dim=-1, keepdim=True)], dim=1)
        assert torch.equal(idx, generated)


def test_the_score_of_a_beam_is_that_of_its_sentence() -> None:
    model = translation.build_model()
    with torch.no_grad():
        for (digits,) in translation.sample_inputs(5, 2):
            words, score = model.beam_search(digits)
            sentence = torch.tensor([words])
            logits = model.decode(sentence[:, :-1], model.encode(digits))
            chosen = F.log_softmax(logits, dim=-1).gather(2, sentence[:, 1:].unsqueeze(2))
            assert score == pytest.approx(chosen.sum().item(), abs=1e-4)
            assert words[-1] == translation.END


def test_a_decoder_looks_at_each_word_with_weights_that_sum_to_one() -> None:
    for model in (seq2seq_attention.build_model(), seq2seq_attention.build_luong()):
        with torch.no_grad():
            words, attentions = model(*seq2seq_attention.example_inputs())
        assert words == [*"MCMXCIV", "<EOS>"]
        torch.testing.assert_close(attentions.sum(dim=1), torch.ones(len(words)))


def test_stepping_the_cells_is_what_the_library_does() -> None:
    stepped: Any = lstm.build_two_layers()
    fused: Any = lstm.build_fused()
    for layer, cell in enumerate(stepped.cells):
        for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
            getattr(cell, name).data = getattr(fused.lstm, f"{name}_l{layer}").data
    stepped.output = fused.output
    with torch.no_grad():
        for (words,) in lstm.sample_inputs(3, 0):
            torch.testing.assert_close(stepped(words), fused(words))


def test_padding_does_not_change_what_bert_says() -> None:
    model = bert.build_model()
    input_ids, attention_mask = bert.sample_inputs(1, 0)[0]
    padded = F.pad(input_ids, (0, 7)), F.pad(attention_mask, (0, 7))
    with torch.no_grad():
        torch.testing.assert_close(model(*padded)[0], model(input_ids, attention_mask)[0])


def test_bert_base_has_the_size_of_the_paper() -> None:
    with torch.device("meta"):
        model = bert.BertForSequenceClassification()
    parameters = sum(parameter.numel() for parameter in model.bert.parameters())
    assert parameters == 109_482_240


def test_a_full_tree_runs_its_layer_at_each_inner_node() -> None:
    model: Any = tree_fc.build_model()
    calls: list[None] = []
    model.fc.register_forward_hook(lambda *_: calls.append(None))
    for (tree,) in tree_fc.sample_inputs(10, 0):
        depth, node = 0, tree
        while not node.is_leaf():
            depth, node = depth + 1, node.left
        calls.clear()
        model(tree)
        assert len(calls) == 2**depth - 1


def test_captions_name_the_digits_from_left_to_right() -> None:
    assert picture_captioner.caption([7]) == "a seven"
    assert picture_captioner.caption([7, 2]) == "a seven and a two"
    assert picture_captioner.caption([7, 2, 9]) == "a seven , a two and a nine"
    _, captions = picture_captioner.captioned_pictures(30, 0, held_out=True)
    assert {len(each.split()) for each in captions} == {2, 5, 8}
