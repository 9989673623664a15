"""Models of ``small/`` of trees and of scikit-learn: ``python test/models/export_trees.py DIRECTORY [NAME ...]``.

The committed files were written with xgboost 3.2 (by onnxmltools 1.16), catboost 1.2, skl2onnx 1.20 and
scikit-learn 1.9; an exporter that is not installed is left out.
"""

import importlib.util
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx


def _data(rows: int = 60, columns: int = 4) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((rows, columns)).astype(np.float32)
    return x, (x[:, 0] + x[:, 1] * x[:, 2] > 0).astype(np.int64)


def _converted(convert: Callable[..., Any], model: Any, columns: int = 4, **options: Any) -> Any:
    from onnxmltools.convert.common.data_types import FloatTensorType

    return convert(
        model, initial_types=[("x", FloatTensorType([None, columns]))], target_opset=15, **options
    )


def xgboost_classes() -> Any:
    from onnxmltools import convert_xgboost
    from xgboost import XGBClassifier

    x, y = _data()
    return _converted(convert_xgboost, XGBClassifier(n_estimators=3, max_depth=2, n_jobs=1).fit(x, y + (x[:, 3] > 1)))  # fmt: skip


def xgboost_numbers() -> Any:
    from onnxmltools import convert_xgboost
    from xgboost import XGBRegressor

    x, y = _data()
    return _converted(
        convert_xgboost, XGBRegressor(n_estimators=3, max_depth=2, n_jobs=1).fit(x, y)
    )


def _catboost(model: Any) -> Any:
    with tempfile.TemporaryDirectory() as directory:
        path = str(Path(directory) / "model.onnx")
        model.save_model(path, format="onnx")
        return onnx.load(path)


def catboost_numbers() -> Any:
    from catboost import CatBoostRegressor

    x, y = _data()
    options = {"iterations": 3, "depth": 2, "verbose": False, "random_seed": 0, "thread_count": 1}
    return _catboost(CatBoostRegressor(**options, allow_writing_files=False).fit(x, x[:, 0] + y))


def _sklearn(model: Any, x: Any, **options: Any) -> Any:
    from skl2onnx import to_onnx

    return to_onnx(model, x[:1], target_opset={"": 17, "ai.onnx.ml": 3}, **options)


def skl_svm() -> Any:
    from sklearn.svm import SVC

    x, y = _data(12)
    return _sklearn(SVC().fit(x, y), x, options={"zipmap": False})


def skl_neighbours() -> Any:
    """A distance to each row, as a Scan."""
    from sklearn.neighbors import KNeighborsClassifier

    x, y = _data(8)
    return _sklearn(KNeighborsClassifier(3).fit(x, y), x, options={"zipmap": False})


def skl_text() -> Any:
    """Words: strings, a regular expression of words, TF-IDF."""
    from skl2onnx import to_onnx
    from skl2onnx.common.data_types import StringTensorType
    from sklearn.feature_extraction.text import TfidfVectorizer

    words = TfidfVectorizer(ngram_range=(1, 2), lowercase=False).fit(
        ["a cat sat", "cat and dog", "dog sat"]
    )
    return to_onnx(words, initial_types=[("x", StringTensorType([None]))], target_opset=17)


def skl_polynomial() -> Any:
    from sklearn.decomposition import PCA
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import Normalizer, PolynomialFeatures

    x, y = _data()
    steps = SimpleImputer(), PolynomialFeatures(2), PCA(3, random_state=0), Normalizer(), Ridge()
    return _sklearn(make_pipeline(*steps).fit(x, y.astype(np.float32)), x)


# Exporters, each with the packages that it needs.
MODELS: dict[str, tuple[Callable[[], Any], tuple[str, ...]]] = {
    "xgboost_classes": (xgboost_classes, ("xgboost", "onnxmltools")),
    "xgboost_numbers": (xgboost_numbers, ("xgboost", "onnxmltools")),
    "catboost_numbers": (catboost_numbers, ("catboost",)),
    "skl_svm": (skl_svm, ("skl2onnx",)),
    "skl_neighbours": (skl_neighbours, ("skl2onnx",)),
    "skl_text": (skl_text, ("skl2onnx",)),
    "skl_polynomial": (skl_polynomial, ("skl2onnx",)),
}


def main(directory: str, names: list[str]) -> None:
    for name, (export, packages) in MODELS.items():
        if names and name not in names:
            continue
        missing = [p for p in packages if importlib.util.find_spec(p) is None]
        if missing:
            print(f"{name}: left out, without {', '.join(missing)}")
            continue
        model = export()
        path = Path(directory) / f"{name}.onnx"
        onnx.save(model, path)
        print(f"{name}: {len(model.graph.node)} nodes, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
