"""A stand-in for ``omegaconf``: configurations that note in a cache what was asked of them."""

from omegaconf.dictconfig import OmegaConf as OmegaConf
