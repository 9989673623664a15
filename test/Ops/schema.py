# RUN: %PYTHON %s | FileCheck %s
# Schema text: accepted, canonical, rejected with a caret.
import ge.ops as ops


def show(text):
    try:
        record = ops.parse_schema(text)
        print(record)
        print("torch:", record.to_string(style="torch"))
    except ops.OpSchemaError as error:
        print(error)
    print("---")


# CHECK: acme::f(Tensor x, int[2] k=[1, 1], *, bool flag=False) -> Tensor
# CHECK: torch: acme::f(Tensor x, int[2] k=1, *, bool flag=False) -> Tensor
show("acme::f( Tensor x,int[2] k=1 , * , bool flag=False )->Tensor")

# CHECK: acme::g.out(Tensor(a!) x, ...) -> (Tensor(a!), int n, ...)
show("acme::g.out(Tensor(a!) x, ...) -> (Tensor(a!), int n, ...)")

# CHECK: error: {{.*}}Tensr
# CHECK-NEXT: acme::h(Tensor x, Tensr y) -> ()
# CHECK-NEXT: {{^}}                  ^
show("acme::h(Tensor x, Tensr y) -> ()")

# CHECK: error:
# CHECK-NEXT: acme::h(Tensor x, int x) -> ()
# CHECK-NEXT: ^
show("acme::h(Tensor x, int x) -> ()")

# CHECK: error:
# CHECK-NEXT: acme::h(int k="a") -> ()
# CHECK-NEXT: ^
show('acme::h(int k="a") -> ()')
