"""If a pass or hook edits the pass manager that runs it, the current run continues with the passes it started with."""

import ge.ir as ir
import ge.passes as passes


def test_passes_that_a_pass_adds_run_from_the_next_run_on():
    graph = ir.Graph("g")
    graph.outputs = [graph.add_input("x", ir.TensorType([2], ir.f32))]
    manager = passes.PassManager()
    ran = []

    def late(target, *rest):
        ran.append("late")

    def first(target, *rest):
        ran.append("first")
        if len(ran) == 1:
            for _ in range(40):
                manager.add(late)

    def second(target, *rest):
        ran.append("second")

    manager.add(first)
    manager.add(second)
    manager.run(graph)
    assert ran == ["first", "second"]
    manager.run(graph)
    assert ran[2:] == ["first", "second", *["late"] * 40]
