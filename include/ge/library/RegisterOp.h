//===- ge/library/RegisterOp.h - an operator from a class and its description -----------------===//
//
//   struct CosineOp {
//     explicit CosineOp(const ge::Attributes &attributes) : scale(attributes.get<float>("scale"))
//     {} ge::Tensor operator()(ge::TensorView input) const; float scale;
//   };
//   struct CosineOpMaker : ge::OpProtoMaker {
//     CosineOpMaker() {
//       AddInput("input", "input of cosine op");
//       AddOutput("output", "output of cosine op");
//       AddAttr<float>("scale", "scale of cosine op").Default(1.0).GreaterThan(0.0);
//       AddType("cos");
//       AddComment("This is cos op");
//     }
//   };
//   REGISTER_OP(CosineOp, CosineOpMaker, cos)
//
// The operator is in the namespace that GE_OP_NAMESPACE (a string) names, else in that of the file.
// Its kernel, for any backend, makes an OpClass of the attributes and calls it with the operands.
//
#ifndef GE_LIBRARY_REGISTEROP_H
#define GE_LIBRARY_REGISTEROP_H

#include "ge/library/Library.h"

#include <charconv>
#include <cmath>

namespace ge {

/// The attributes of a call, by name.
class Attributes {
public:
  Attributes(const std::vector<std::string> &names, const GeAny *values)
      : names_(names), values_(values) {}
  template <typename T> T get(std::string_view name) const {
    for (size_t i = 0; i < names_.size(); ++i)
      if (names_[i] == name)
        return detail::Value<T>::get(values_[i]);
    throw Error("the operator has no attribute '" + std::string(name) + "'");
  }

private:
  const std::vector<std::string> &names_;
  const GeAny *values_;
};

/// What a maker says of an operator.
struct OpProto {
  struct Slot {
    std::string name, doc;
  };
  struct Attribute {
    std::string name, doc, type, otherwise, choices;
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    bool isLowOpen = false, isHighOpen = false;
  };
  std::vector<Slot> inputs, outputs;
  std::vector<Attribute> attributes;
  std::string type, comment;

  std::string schema() const {
    std::string text = type + "(";
    for (const Slot &input : inputs)
      text += (text.back() == '(' ? "" : ", ") + ("Tensor " + input.name);
    if (!attributes.empty())
      text += text.back() == '(' ? "*" : ", *";
    for (const Attribute &attribute : attributes) {
      text += ", " + attribute.type + " " + attribute.name;
      if (!attribute.otherwise.empty())
        text += "=" + attribute.otherwise;
    }
    text += ") -> (";
    for (const Slot &output : outputs)
      text += (text.back() == '(' ? "" : ", ") + ("Tensor " + output.name);
    return text + ")";
  }
};

namespace detail {

inline std::string literal(bool value) { return value ? "True" : "False"; }
inline std::string literal(std::string_view value) {
  std::string text = "'";
  for (char c : value)
    text.append(c == '\'' || c == '\\' ? "\\" : "").push_back(c);
  return text + "'";
}
template <std::integral T> std::string literal(T value) { return std::to_string(value); }
template <std::floating_point T> std::string literal(T value) {
  char text[64];
  auto end = std::to_chars(text, text + sizeof text, value).ptr;
  std::string all(text, end);
  return all.find_first_of(".en") == std::string::npos ? all + ".0" : all;
}
template <typename T> std::string literal(const std::vector<T> &values) {
  std::string text = "[";
  for (const T &value : values)
    text += (text.back() == '[' ? "" : ", ") + literal(value);
  return text + "]";
}

} // namespace detail

/// Base of makers, which describe an operator in their constructor.
class OpProtoMaker {
public:
  explicit OpProtoMaker(OpProto *proto = nullptr) : proto_(proto ? proto : &own_) {}
  OpProtoMaker(const OpProtoMaker &) = delete;
  const OpProto &proto() const { return *proto_; }

protected:
  template <typename T> class AttrBuilder {
  public:
    AttrBuilder(OpProto &proto, size_t index) : proto_(proto), index_(index) {}
    AttrBuilder &Default(T value) {
      at().otherwise = detail::literal(value);
      return *this;
    }
    AttrBuilder &GreaterThan(double bound) { return low(bound, true); }
    AttrBuilder &LessThan(double bound) { return high(bound, true); }
    AttrBuilder &AtLeast(double bound) { return low(bound, false); }
    AttrBuilder &AtMost(double bound) { return high(bound, false); }
    AttrBuilder &InEnum(const std::vector<T> &values) {
      at().choices = detail::literal(values);
      return *this;
    }

  private:
    AttrBuilder &low(double bound, bool isOpen) {
      at().low = bound;
      at().isLowOpen = isOpen;
      return *this;
    }
    AttrBuilder &high(double bound, bool isOpen) {
      at().high = bound;
      at().isHighOpen = isOpen;
      return *this;
    }
    OpProto::Attribute &at() { return proto_.attributes[index_]; }
    OpProto &proto_;
    size_t index_;
  };

  void AddInput(const std::string &name, const std::string &doc) {
    proto_->inputs.push_back({name, doc});
  }
  void AddOutput(const std::string &name, const std::string &doc) {
    proto_->outputs.push_back({name, doc});
  }
  template <typename T> AttrBuilder<T> AddAttr(const std::string &name, const std::string &doc) {
    proto_->attributes.push_back({name, doc, detail::Value<T>::schema(), "", ""});
    return {*proto_, proto_->attributes.size() - 1};
  }
  void AddType(const std::string &type) { proto_->type = type; }
  void AddComment(const std::string &comment) { proto_->comment = comment; }

  OpProto *proto_;

private:
  OpProto own_;
};

namespace detail {

template <typename Op, typename Call> struct OpCaller;
template <typename Op, typename R, typename... A> struct OpCaller<Op, R (Op::*)(A...)> {
  using Types = Signature<R, A...>;
};
template <typename Op, typename R, typename... A> struct OpCaller<Op, R (Op::*)(A...) const> {
  using Types = Signature<R, A...>;
};

/// The kernel of an OpClass. Lives as long as the process: so does the file that it is in.
template <typename Op> struct ClassKernel {
  using Types = typename OpCaller<Op, decltype(&Op::operator())>::Types;
  std::vector<std::string> attributes;

  static int call(void *self, const GeAny *args, int32_t numArgs, GeAny *result) noexcept {
    auto *kernel = static_cast<ClassKernel *>(self);
    try {
      size_t count = kernel->attributes.size(), outs = Types::kOuts;
      if (size_t(numArgs) != Types::kParams + count + outs)
        throw Error("the kernel takes " + std::to_string(Types::kParams + count + outs) +
                    " values, not " + std::to_string(numArgs));
      // Operands, attributes, results: the class is called without those in the middle.
      std::vector<GeAny> values(args, args + Types::kParams);
      values.insert(values.end(), args + Types::kParams + count, args + numArgs);
      Op op{Attributes(kernel->attributes, args + Types::kParams)};
      Types::call([&](auto &&...views) { return op(views...); }, values.data(), *result);
      return 0;
    } catch (const std::exception &error) {
      return fail(result, error.what());
    } catch (...) {
      return fail(result, "threw an exception that is not a std::exception");
    }
  }
};

inline void defineProto(GeLibrary *library, const OpProto &proto, const char *file, uint32_t line) {
  struct Spec {
    GeOpSpec *spec = nullptr;
    ~Spec() { api().geOpSpecDestroy(spec); }
  } made;
  check(api().geOpSpecCreate(str(proto.schema()), str(file), line, &made.spec));
  check(api().geOpSpecSetDoc(made.spec, str(proto.comment)));
  auto describe = [&](bool isResult, size_t index, const std::string &doc) {
    GeSlotExtra extra{};
    extra.size = sizeof extra;
    extra.doc = str(doc);
    extra.homogeneous = true;
    extra.typeVar = -1;
    check(api().geOpSpecSetSlot(made.spec, isResult, index, &extra));
  };
  size_t index = 0;
  for (const OpProto::Slot &input : proto.inputs)
    describe(false, index++, input.doc);
  for (const OpProto::Attribute &attribute : proto.attributes) {
    describe(false, index, attribute.doc);
    if (!attribute.choices.empty())
      check(api().geOpSpecSetChoices(made.spec, index, str(attribute.choices)));
    if (std::isfinite(attribute.low) || std::isfinite(attribute.high))
      check(api().geOpSpecSetRange(made.spec, index, attribute.low, attribute.high,
                                   attribute.isLowOpen, attribute.isHighOpen));
    ++index;
  }
  for (size_t i = 0; i < proto.outputs.size(); ++i)
    describe(true, i, proto.outputs[i].doc);
  check(api().geLibraryDefineSpec(library, std::exchange(made.spec, nullptr), nullptr));
}

template <typename Op, typename Maker>
GE_LIBRARY_HIDDEN void registerOp(Library &library, const char *type, const char *file,
                                  uint32_t line) {
  OpProto proto;
  auto make = [&] {
    if constexpr (std::is_constructible_v<Maker, OpProto *>)
      Maker{&proto};
    else
      proto = Maker{}.proto();
  };
  make();
  if (proto.type != type)
    throw Error("REGISTER_OP(..., " + std::string(type) + "): the maker says AddType(\"" +
                proto.type + "\"); both must be the same");
  defineProto(library.handle(), proto, file, line);
  using Types = typename ClassKernel<Op>::Types;
  if (Types::params() != std::vector<std::string>(proto.inputs.size(), "Tensor") ||
      Types::results() != std::vector<std::string>(proto.outputs.size(), "Tensor"))
    throw Error(std::string(type) + ": operator() is a function " + Types::types().text() +
                ", the maker describes " + proto.schema());
  static auto *kernel = new ClassKernel<Op>;
  kernel->attributes.clear();
  for (const OpProto::Attribute &attribute : proto.attributes)
    kernel->attributes.push_back(attribute.name);
  GeKernelSpec spec{};
  spec.size = sizeof spec;
  spec.op = str(proto.type);
  spec.backend = str("any");
  spec.function = ClassKernel<Op>::call;
  spec.self = kernel;
  spec.flags = Types::kOuts ? GE_KERNEL_OUT : 0;
  spec.file = str(file);
  spec.line = line;
  check(api().geLibraryImpl(library.handle(), &spec, nullptr));
}

} // namespace detail
} // namespace ge

#ifdef GE_OP_NAMESPACE
#define GE_OP_NAMESPACE_ GE_OP_NAMESPACE
#else
#define GE_OP_NAMESPACE_ nullptr
#endif
/// At namespace scope; `name` is a word.
#define REGISTER_OP(OpClass, Maker, name) REGISTER_OP_IN(GE_OP_NAMESPACE_, OpClass, Maker, name)
/// The same in a namespace, a string; nullptr is that of the file.
#define REGISTER_OP_IN(ns, OpClass, Maker, name)                                                   \
  GE_LIBRARY_RECORD(::ge::detail::kFragment, ns, Op_##name, [](::ge::Library &library) {           \
    ::ge::detail::registerOp<OpClass, Maker>(library, #name, __FILE__, __LINE__);                  \
  })

#endif // GE_LIBRARY_REGISTEROP_H
