"""Decoders that write until they say stop."""

from zoo import captioner, speculative, speech_decoder, transducer
from zoo.entry import Entry, Family

CAPTIONER = (
    "Xu et al.: Show, Attend and Tell, ICML 2015; sgrvinod/a-PyTorch-Tutorial-to-Image-Captioning"
)

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
        source="Leviathan et al.: Fast Inference via Speculative Decoding, ICML 2023",
        trained=False,
    ),
)
