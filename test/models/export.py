"""Export the networks of this directory again: ``python test/models/export.py DIRECTORY [NAME ...]``.

Needs ``torch`` (2.13 wrote the committed files), ``transformers`` and ``onnxscript``.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import transformers as tf
from torch import nn


class Output(nn.Module):
    """A network whose one output is the first tensor that the wrapped network returns."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.m = network

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        result = self.m(*inputs)
        return result if isinstance(result, torch.Tensor) else result[0]


class Tagger(nn.Module):
    """Embedding, two bidirectional LSTM layers and one label for each word."""

    def __init__(self) -> None:
        super().__init__()
        self.e = nn.Embedding(50, 16)
        self.l = nn.LSTM(16, 32, num_layers=2, bidirectional=True, batch_first=True)
        self.o = nn.Linear(64, 5)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        return self.o(self.l(self.e(words))[0])


def trained(network: nn.Module) -> nn.Module:
    """Fill norms with numbers: new ones multiply by one and add zero, which simplifiers remove."""
    for name, tensor in [*network.named_parameters(), *network.named_buffers()]:
        if tensor.dim() == 1 and tensor.is_floating_point() and "inv_freq" not in name:
            tensor.data.uniform_(0.5, 1.5)
    return network


def bert() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    sizes = tf.BertConfig(
        vocab_size=500,
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        return_dict=False,
    )
    return tf.BertModel(sizes), (
        torch.randint(0, 500, (2, 16)),
        torch.ones(2, 16, dtype=torch.long),
    )


def gpt2() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    sizes = tf.GPT2Config(
        vocab_size=500,
        n_positions=64,
        n_embd=64,
        n_layer=2,
        n_head=4,
        use_cache=False,
        return_dict=False,
    )
    return tf.GPT2LMHeadModel(sizes), (torch.randint(0, 500, (2, 16)),)


def resnet() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    sizes = tf.ResNetConfig(
        embedding_size=16,
        hidden_sizes=[16, 32, 48, 64],
        depths=[1, 2, 2, 1],
        return_dict=False,
    )
    return tf.ResNetModel(sizes), (torch.randn(1, 3, 64, 64),)


def vit() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    sizes = tf.ViTConfig(
        image_size=32,
        patch_size=8,
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        return_dict=False,
    )
    return tf.ViTModel(sizes, add_pooling_layer=False), (torch.randn(2, 3, 32, 32),)


def lstm() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    return Tagger(), (torch.randint(0, 50, (2, 7)),)


def t5() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    sizes = tf.T5Config(
        vocab_size=500,
        d_model=64,
        d_kv=16,
        d_ff=128,
        num_layers=2,
        num_heads=4,
        use_cache=False,
        attn_implementation="eager",
    )
    return tf.T5EncoderModel(sizes), (
        torch.randint(0, 500, (2, 16)),
        torch.ones(2, 16, dtype=torch.long),
    )


def llama() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    sizes = tf.LlamaConfig(
        vocab_size=500,
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=64,
        use_cache=False,
        attn_implementation="eager",
    )
    return tf.LlamaForCausalLM(sizes), (
        torch.randint(0, 500, (2, 16)),
        torch.ones(2, 16, dtype=torch.long),
    )


def mobilenet() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    sizes = tf.MobileNetV2Config(image_size=64, depth_multiplier=0.1, finegrained_output=False)
    return tf.MobileNetV2Model(sizes), (torch.randn(1, 3, 64, 64),)


FILES: dict[str, Callable[[], Any]] = {
    "bert_dynamo": bert,
    "bert_script": bert,
    "gpt2_dynamo": gpt2,
    "resnet_dynamo": resnet,
    "vit_script": vit,
    "lstm_script": lstm,
    "t5_script": t5,
    "llama_script": llama,
    "mobilenet_script": mobilenet,
}


def main() -> None:
    directory, *names = sys.argv[1:]
    Path(directory).mkdir(parents=True, exist_ok=True)
    for name in names or FILES:
        torch.manual_seed(0)
        network, inputs = FILES[name]()
        path = Path(directory) / f"{name}.onnx"
        if name.endswith("_dynamo"):
            options = {"dynamo": True, "opset_version": 18, "optimize": False}
        else:
            options = {"dynamo": False, "opset_version": 17, "do_constant_folding": False}
        torch.onnx.export(Output(trained(network)).eval(), inputs, str(path), **options)
        print(path)


if __name__ == "__main__":
    main()
