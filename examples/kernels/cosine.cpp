// An operator from a class and its description.
#include "ge/library.h"

#include <cmath>

namespace {

class CosineOp {
public:
  explicit CosineOp(const ge::Attributes &attributes) : scale_(attributes.get<float>("scale")) {}
  ge::Tensor operator()(ge::TensorView input) const {
    ge::Tensor output = ge::Tensor::emptyLike(input);
    for (int64_t i = 0, n = input.numel(); i < n; ++i)
      output.data<float>()[i] = scale_ * std::cos(input.data<float>()[i]);
    return output;
  }

private:
  float scale_;
};

struct CosineOpMaker : ge::OpProtoMaker {
  CosineOpMaker() {
    AddInput("input", "input of cosine op");
    AddOutput("output", "output of cosine op");
    AddAttr<float>("scale", "scale of cosine op").Default(1.0).GreaterThan(0.0);
    AddType("cos");
    AddComment("This is cos op");
  }
};

} // namespace

REGISTER_OP(CosineOp, CosineOpMaker, cos)
