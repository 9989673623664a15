"""Write lib/Ops/Registry/onnx_ops.table: every operator of every domain and version that `onnx.defs` knows.

The table ships inside the library, so that the onnx package is not needed at run time. ``--check`` writes nothing
and fails if the table is out of date.
"""

import inspect
import re
import sys
from collections import defaultdict
from pathlib import Path

import onnx
from onnx import AttributeProto, defs

from generated import parser, write_or_check

__all__ = ["TABLE", "table"]

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "lib" / "Ops" / "Registry" / "onnx_ops.table"

HEADER = """\
# ONNX's operators; not to be edited. Written from onnx {version} by
#   python scripts/gen_onnx_ops.py
# test/python/ops/test_onnx_ops_table.py checks that it is current; lib/Ops/Registry/OnnxOps.cpp reads it.
#
# @types: sets of types, numbered from 1 ("float" is tensor(float)). @texts: numbered from 1, 0 is none;
# \\n and \\\\ are escapes. @ops: namespaces, and records, oldest version first:
#   . NAMESPACE
#   + NAME SINCE TRAITS TEXT    traits by letter: {traits}; - none
#   =                           inputs, outputs and attributes as in the record before
#   i|o COUNT NAME TYPE TEXT    count: 1, ? optional, *N any number from N on, ~N the same of mixed types
#   a NAME TEXT TYPE[=DEFAULT]  `T?` may be absent
#   c CHOICE ..                 what the attribute before may be
#   t VARIABLE TYPES TEXT
"""

NAMESPACES = {
    "": "onnx",
    "ai.onnx.ml": "onnx.ml",
    "ai.onnx.preview": "onnx.preview",
    "ai.onnx.preview.training": "onnx.preview.training",
}

TRAITS = {
    "c": "commutative",
    "p": "pure",
    "e": "elementwise",
    "n": "nondeterministic",
    "g": "control_flow",
    "x": "experimental",
    "f": "function",
    "d": "deprecated",
}

# Before version 7 only the second operand could be broadcast, so the operands could not be swapped.
COMMUTATIVE_FROM_7 = {"Add", "Mul", "And", "Or", "Xor", "Equal"}
COMMUTATIVE = {"BitwiseAnd", "BitwiseOr", "BitwiseXor", "Max", "Mean", "Min", "Sum"}

# Dropout is listed for all versions: in most of them an attribute or operand decides whether it is random.
NONDETERMINISTIC = {
    "Bernoulli",
    "Dropout",
    "Multinomial",
    "RandomNormal",
    "RandomNormalLike",
    "RandomUniform",
    "RandomUniformLike",
}
# Purity depends on their subgraphs, which the record does not know.
CONTROL_FLOW = {"If", "Loop", "Scan", "SequenceMap"}
# onnx reports it as non-deterministic because its function body contains an If.
CALLED_NONDETERMINISTIC = {"AffineGrid"}

# fmt: off
ELEMENTWISE = {
    "Abs", "Acos", "Acosh", "Add", "And", "Asin", "Asinh", "Atan", "Atanh", "BitCast", "BitShift", "BitwiseAnd",
    "BitwiseNot", "BitwiseOr", "BitwiseXor", "Cast", "CastLike", "Ceil", "Celu", "Clip", "Cos", "Cosh", "Div", "Elu",
    "Equal", "Erf", "Exp", "Floor", "Gelu", "Greater", "GreaterOrEqual", "HardSigmoid", "HardSwish", "Identity",
    "IsInf", "IsNaN", "LeakyRelu", "Less", "LessOrEqual", "Log", "Max", "Mean", "Min", "Mish", "Mod", "Mul", "Neg",
    "Not", "Or", "Pow", "PRelu", "Reciprocal", "Relu", "Round", "Selu", "Shrink", "Sigmoid", "Sign", "Sin", "Sinh",
    "Softplus", "Softsign", "Sqrt", "Sub", "Sum", "Swish", "Tan", "Tanh", "ThresholdedRelu", "Where", "Xor",
}
# fmt: on

# Allowed values of string attributes, which onnx documents in prose only, by the first version that has them. None: not
# a fixed set.
PADDING = {1: "NOTSET SAME_UPPER SAME_LOWER VALID"}
DIRECTION = {7: "forward reverse bidirectional"}  # the default of GRU-1 is "foward"
ROUNDING = {24: "up down nearest"}
LOSS = {12: "none sum mean"}
SCATTER = {16: "none add mul", 18: "none add mul max min"}
SAMPLING = "half_pixel pytorch_half_pixel align_corners asymmetric tf_crop_and_resize"
CHOICES = {
    ("AveragePool", "auto_pad"): PADDING,
    ("BitShift", "direction"): {11: "LEFT RIGHT"},
    ("Cast", "round_mode"): ROUNDING,
    ("CastLike", "round_mode"): ROUNDING,
    ("CausalConvWithState", "activation"): {27: "silu swish none"},
    ("Conv", "auto_pad"): PADDING,
    ("ConvInteger", "auto_pad"): PADDING,
    ("ConvTranspose", "auto_pad"): PADDING,
    ("DepthToSpace", "mode"): {11: "DCR CRD"},
    ("GRU", "direction"): DIRECTION,
    ("Gelu", "approximate"): {20: "none tanh"},
    ("GridSample", "mode"): {16: "bilinear nearest bicubic", 20: "linear nearest cubic"},
    ("GridSample", "padding_mode"): {16: "zeros border reflection"},
    ("ImageDecoder", "pixel_format"): {20: "RGB BGR Grayscale"},
    ("LSTM", "direction"): DIRECTION,
    ("LinearAttention", "update_rule"): {27: "linear gated delta gated_delta"},
    ("LpPool", "auto_pad"): PADDING,
    ("MaxPool", "auto_pad"): PADDING,
    ("NegativeLogLikelihoodLoss", "reduction"): LOSS,
    ("Pad", "mode"): {1: "constant reflect edge", 19: "constant reflect edge wrap"},
    ("QLinearConv", "auto_pad"): PADDING,
    ("RNN", "direction"): DIRECTION,
    ("Resize", "coordinate_transformation_mode"): {
        # tf_half_pixel_for_nn is of opset 11 alone, but tf2onnx writes it in all, and onnxruntime computes it.
        11: f"{SAMPLING} tf_half_pixel_for_nn",
        19: f"{SAMPLING} half_pixel_symmetric tf_half_pixel_for_nn",
    },
    ("Resize", "keep_aspect_ratio_policy"): {18: "stretch not_larger not_smaller"},
    ("Resize", "mode"): {10: None, 11: "nearest linear cubic"},
    ("Resize", "nearest_mode"): {11: "round_prefer_floor round_prefer_ceil floor ceil"},
    ("RoiAlign", "coordinate_transformation_mode"): {16: "half_pixel output_half_pixel"},
    ("RoiAlign", "mode"): {10: "avg max"},
    ("ScatterElements", "reduction"): SCATTER,
    ("ScatterND", "reduction"): SCATTER,
    ("SoftmaxCrossEntropyLoss", "reduction"): LOSS,
    ("SpaceToDepth", "mode"): {28: "DCR CRD"},
    ("StringNormalizer", "case_change_action"): {10: "LOWER UPPER NONE"},
    ("TensorScatter", "mode"): {24: "linear circular"},
    ("TfIdfVectorizer", "mode"): {9: "TF IDF TFIDF"},
    ("Upsample", "mode"): {1: "nearest bilinear", 7: None},
}

TYPES = {
    "INT": "int",
    "FLOAT": "float",
    "STRING": "str",
    "TENSOR": "TensorLiteral",
    "SPARSE_TENSOR": "SparseLiteral",
    "GRAPH": "Graph",
    "TYPE_PROTO": "ValueType",
    "INTS": "int[]",
    "FLOATS": "float[]",
    "STRINGS": "str[]",
    "TENSORS": "TensorLiteral[]",
    "SPARSE_TENSORS": "SparseLiteral[]",
    "GRAPHS": "Graph[]",
    "TYPE_PROTOS": "ValueType[]",
}

# Split-1 has an operand and an attribute of one name. The operand is renamed: attributes are identified by name only.
RENAMED = {("", "Split", 1, "split"): "split_", ("", "Split", 1, "outputs..."): "outputs"}


class Numbered:
    """Numbers distinct lines in order of insertion."""

    def __init__(self) -> None:
        self.lines: dict[str, int] = {}

    def number(self, line: str) -> int:
        return self.lines.setdefault(line, len(self.lines) + 1)


def clean(text: str) -> str:
    """Return a text of onnx without indentation, trailing spaces and repeated blank lines."""
    text = inspect.cleandoc(text.replace("\r\n", "\n").replace("\t", "    "))
    text = "\n".join(line.rstrip() for line in text.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def text_number(texts: Numbered, text: str) -> int:
    text = clean(text)
    if not text:
        return 0
    return texts.number(text.replace("\\", "\\\\").replace("\n", "\\n"))


def traits_of(schema: defs.OpSchema) -> str:
    """Return the letters of an operator's traits.

    Raises
    ------
    ValueError
        If the sets above contradict onnx.
    """
    name, version = schema.name, schema.since_version
    is_random = name in NONDETERMINISTIC
    is_control = name in CONTROL_FLOW
    said = schema.node_determinism == defs.OpSchema.NodeDeterminism.NonDeterministic
    # onnx marks older versions inconsistently, so a missing mark is no error.
    if said and not is_random and not is_control and name not in CALLED_NONDETERMINISTIC:
        raise ValueError(f"onnx says that {name} is not deterministic: add it to a set")
    has_graph = any(a.type.name in ("GRAPH", "GRAPHS") for a in schema.attributes.values())
    if has_graph and not is_control and schema.domain == "":
        raise ValueError(f"{name} has a subgraph: is it control flow?")
    is_control = is_control or has_graph
    letters = {
        "c": name in COMMUTATIVE or (name in COMMUTATIVE_FROM_7 and version >= 7),
        "p": not is_random and not is_control,
        "e": name in ELEMENTWISE and schema.domain == "",
        "n": is_random,
        "g": is_control,
        "x": schema.support_level == defs.OpSchema.SupportType.EXPERIMENTAL,
        "f": schema.has_function or schema.has_context_dependent_function,
        "d": schema.deprecated,
    }
    return "".join(letter for letter, is_set in letters.items() if is_set) or "-"


def literal(value: object) -> str:
    """Return a default value in the schema language."""
    if isinstance(value, bytes):
        text = value.decode().replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return f'"{text}"'
    if isinstance(value, float):
        # The shortest decimal that converts to the same float32.
        for digits in range(1, 18):
            text = f"{value:.{digits}g}"
            if onnx.helper.make_attribute("a", float(text)).f == value:
                break
        return text if re.search(r"[.en]", text) else text + ".0"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list):
        return "[" + ", ".join(map(literal, value)) + "]"
    raise TypeError(f"no literal for {value!r}")


def attribute_line(attribute: defs.OpSchema.Attribute, texts: Numbered) -> str:
    kind = TYPES[attribute.type.name]
    default = attribute.default_value
    if default.type != AttributeProto.UNDEFINED:
        kind += "=" + literal(onnx.helper.get_attribute_value(default))
    elif not attribute.required:
        kind += "?"
    return f"a {attribute.name} {text_number(texts, attribute.description)} {kind}"


def choice_lines(schema: defs.OpSchema, attribute: defs.OpSchema.Attribute) -> list[str]:
    """Return the allowed values of a string attribute as a line of the table, or no line."""
    said = CHOICES.get((schema.name, attribute.name), {}) if schema.domain == "" else {}
    versions = [v for v in said if v <= schema.since_version]
    words = said[max(versions)] if versions else None
    return [f"c {words}"] if words and attribute.type == defs.OpSchema.AttrType.STRING else []


def parameter_line(
    letter: str, schema: defs.OpSchema, parameter: defs.OpSchema.FormalParameter, texts: Numbered
) -> str:
    count = {"Single": "1", "Optional": "?", "Variadic": "*"}[parameter.option.name]
    if count == "*":
        count = ("*" if parameter.is_homogeneous else "~") + str(parameter.min_arity)
    key = (schema.domain, schema.name, schema.since_version, parameter.name)
    name = RENAMED.get(key, parameter.name)
    text = text_number(texts, parameter.description)
    return f"{letter} {count} {name} {parameter.type_str} {text}"


def type_set(allowed: list[str]) -> str:
    plain = re.compile(r"tensor\((\w+)\)")
    return ",".join(plain.sub(r"\1", t) if plain.fullmatch(t) else t for t in sorted(allowed))


def table() -> str:
    """Return the text of the table."""
    versions = defaultdict(list)
    for schema in defs.get_all_schemas_with_history():
        versions[NAMESPACES.get(schema.domain, schema.domain), schema.name].append(schema)
    types, texts = Numbered(), Numbered()
    ops: list[str] = []
    namespace = None
    for ns, name in sorted(versions):
        if ns != namespace:
            ops.append(f". {ns}")
            namespace = ns
        before: list[str] = []
        for schema in sorted(versions[ns, name], key=lambda s: s.since_version):
            slots = [parameter_line("i", schema, p, texts) for p in schema.inputs]
            slots += [parameter_line("o", schema, p, texts) for p in schema.outputs]
            for _, attribute in sorted(schema.attributes.items()):
                slots += [attribute_line(attribute, texts), *choice_lines(schema, attribute)]
            text = text_number(texts, schema.doc)
            ops.append(f"+ {name} {schema.since_version} {traits_of(schema)} {text}")
            ops += ["="] if slots == before and len(slots) > 1 else slots
            before = slots
            for variable in schema.type_constraints:
                allowed = types.number(type_set(variable.allowed_type_strs))
                text = text_number(texts, variable.description)
                ops.append(f"t {variable.type_param_str} {allowed} {text}")
    traits = ", ".join(f"{letter} {word}" for letter, word in TRAITS.items())
    header = HEADER.format(version=onnx.__version__, traits=traits)
    lines = ["@types", *types.lines, "@texts", *texts.lines, "@ops", *ops]
    return header + "\n".join(lines) + "\n"


def main() -> int:
    return write_or_check({TABLE: table()}, parser(__doc__).parse_args().check)


if __name__ == "__main__":
    sys.exit(main())
