"""Decoders that write until they say stop."""

from zoo import (
    captioner,
    char_rnn,
    gpt,
    picture_captioner,
    picture_captioner_large,
    seq2seq_attention,
    speculative,
    speech_decoder,
    transducer,
    translation,
)
from zoo.entry import Entry, Family

CAPTIONER = (
    "Xu et al.: Show, Attend and Tell, ICML 2015; sgrvinod/a-PyTorch-Tutorial-to-Image-Captioning"
)
TRANSFORMER = (
    "Vaswani et al.: Attention Is All You Need, NIPS 2017; "
    "jadore801120/attention-is-all-you-need-pytorch"
)
BAHDANAU = (
    "Bahdanau et al.: Neural Machine Translation by Jointly Learning to Align and Translate, "
    "ICLR 2015; pytorch/tutorials"
)
LUONG = (
    "Luong et al.: Effective Approaches to Attention-based Neural Machine Translation, "
    "EMNLP 2015; pytorch/tutorials"
)
CHAR_RNN = "Graves: Generating Sequences With Recurrent Neural Networks, 2013; karpathy/char-rnn"
GPT = "Radford et al.: Language Models are Unsupervised Multitask Learners, 2019; karpathy/nanoGPT"

ENTRIES = (
    Entry(
        name="Captioner, greedy",
        module=captioner,
        build=captioner.build_model,
        family=Family.GENERATION,
        source=CAPTIONER,
        trained=False,
    ),
    Entry(
        name="Captioner, beam search",
        module=captioner,
        build=captioner.build_model,
        family=Family.GENERATION,
        source=CAPTIONER,
        trained=False,
        method="beam_search",
    ),
    Entry(
        name="RNN transducer",
        module=transducer,
        build=transducer.build_model,
        family=Family.GENERATION,
        source="Graves: Sequence Transduction with Recurrent Neural Networks, 2012; NVIDIA/NeMo",
        trained=False,
    ),
    Entry(
        name="Speech decoder",
        module=speech_decoder,
        build=speech_decoder.build_model,
        family=Family.GENERATION,
        source="Shen et al.: Tacotron 2, ICASSP 2018; NVIDIA/tacotron2",
        trained=False,
    ),
    Entry(
        name="Speculative decoding",
        module=speculative,
        build=speculative.build_model,
        family=Family.GENERATION,
        source="Leviathan et al.: Fast Inference via Speculative Decoding, ICML 2023; "
        "feifeibear/LLMSpeculativeSampling",
        trained=False,
    ),
    Entry(
        name="Translation, greedy",
        module=translation,
        build=translation.build_model,
        family=Family.GENERATION,
        source=TRANSFORMER,
        trained=True,
        heavy=True,
    ),
    Entry(
        name="Translation, beam search",
        module=translation,
        build=translation.build_model,
        family=Family.GENERATION,
        source=TRANSFORMER,
        trained=True,
        heavy=True,
        method="beam_search",
    ),
    Entry(
        name="GRU with Bahdanau attention",
        module=seq2seq_attention,
        build=seq2seq_attention.build_model,
        family=Family.GENERATION,
        source=BAHDANAU,
        trained=True,
    ),
    Entry(
        name="GRU with Luong attention",
        module=seq2seq_attention,
        build=seq2seq_attention.build_luong,
        family=Family.GENERATION,
        source=LUONG,
        trained=True,
        heavy=True,
    ),
    Entry(
        name="Character RNN",
        module=char_rnn,
        build=char_rnn.build_model,
        family=Family.GENERATION,
        source=CHAR_RNN,
        trained=True,
    ),
    Entry(
        name="GPT, generate",
        module=gpt,
        build=gpt.build_model,
        family=Family.GENERATION,
        source=GPT,
        trained=True,
        heavy=True,
        method="generate",
    ),
    Entry(
        name="Captions of pictures, greedy",
        module=picture_captioner,
        build=picture_captioner.build_model,
        family=Family.GENERATION,
        source=CAPTIONER,
        trained=True,
    ),
    Entry(
        name="Captions of pictures, beam search",
        module=picture_captioner,
        build=picture_captioner.build_model,
        family=Family.GENERATION,
        source=CAPTIONER,
        trained=True,
        heavy=True,
        method="beam_search",
    ),
    Entry(
        name="ResNeXt-50 captioner, greedy",
        module=picture_captioner_large,
        build=picture_captioner_large.build_model,
        family=Family.GENERATION,
        source=CAPTIONER,
        trained=False,
        heavy=True,
    ),
    Entry(
        name="ResNeXt-50 captioner, beam search",
        module=picture_captioner_large,
        build=picture_captioner_large.build_model,
        family=Family.GENERATION,
        source=CAPTIONER,
        trained=False,
        heavy=True,
        method="beam_search",
    ),
    Entry(
        name="GoogLeNet captioner, greedy",
        module=picture_captioner_large,
        build=picture_captioner_large.build_googlenet,
        family=Family.GENERATION,
        source=CAPTIONER,
        trained=False,
        heavy=True,
    ),
    Entry(
        name="GoogLeNet captioner, beam search",
        module=picture_captioner_large,
        build=picture_captioner_large.build_googlenet,
        family=Family.GENERATION,
        source=CAPTIONER,
        trained=False,
        heavy=True,
        method="beam_search",
    ),
)
