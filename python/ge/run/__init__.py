"""Evaluation of ONNX operators and models by the packages that GE brings: onnxruntime and ``onnx``.

By default they run in a child process, so that a model on which one of them crashes, hangs or takes all memory
costs an answer and not the caller. This module imports nothing: the child process imports it, too.
"""
