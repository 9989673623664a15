// What copies and views of tensors look like: sizes, strides, values and aliasing (torch_probe.h).
#include "torch_probe.h"

namespace {

void copies() {
  Tensor x = grid(), p = x.permute({2, 0, 1}), gaps = x.slice(2, 0, 4, 2);
  Tensor wide = x.narrow(1, 0, 1).expand({2, 7, 4}), one = x.narrow(0, 1, 1),
         column = x.select(1, 1);
  Tensor odd = at::empty_strided({2, 1, 3}, {3, 100, 1}, at::kFloat).fill_(1);
  Tensor none = at::empty({0, 3}, at::kFloat), point = at::full({}, 2.5, at::kFloat);
  Tensor turnedGaps = gaps.permute({2, 1, 0}), turnedNone = at::empty({3, 0, 2}).transpose(0, 2);
  for (const Tensor *t :
       {&x, &p, &gaps, &wide, &one, &column, &odd, &none, &point, &turnedGaps, &turnedNone}) {
    SHARED(*t, t->clone());
    SHARED(*t, t->clone(MF::Contiguous));
    SHARED(*t, t->clone(MF::Preserve));
    SHARED(*t, t->contiguous());
    SHARED(*t, t->to(at::kFloat));
    SHARED(*t, t->to(at::kFloat, false, true));
    SHARED(*t, t->to(at::kDouble));
    SHARED(*t, t->to(at::kDouble, false, false, MF::Contiguous));
    SHARED(*t, t->toType(at::kInt));
    SHARED(*t, t->to(at::TensorOptions().dtype(at::kHalf)));
    SHARED(*t, t->to(at::kCPU, at::kLong));
    SHARED(*t, t->to(at::zeros({1}, at::kByte)));
    SHARED(*t, t->cpu());
    LAYOUT(at::empty_like(*t));
    LAYOUT(at::empty_like(*t, at::TensorOptions(at::kLong)));
    LAYOUT(at::zeros_like(*t));
    LAYOUT(at::ones_like(*t, at::kDouble));
    LAYOUT(at::full_like(*t, 3));
    LAYOUT(t->new_empty({2, 2}));
    ALL(t->new_full({2}, 3));
    ALL(t->new_zeros({1, 2}, at::kInt));
    ALL(t->new_ones({2}, at::TensorOptions(at::kBool)));
    BOOL(t->is_contiguous());
    NUMBER(t->numel());
    NUMBER(t->nbytes());
    NUMBER(t->dim());
    if (t->numel()) {
      ALL(t->clone());
      ALL(t->contiguous());
      ALL(t->to(at::kByte));
    }
  }
  DONE(x.contiguous(MF::Preserve));
  Tensor y = p.clone();
  for (int64_t i = 0; i < p.numel(); ++i)
    y.data_ptr<float>()[i] = -p.data_ptr<float>()[i];
  ALL(y);
  ALL(at::zeros({2, 3}).copy_(doubles({1, 2, 3})));
  ALL(at::zeros({2, 2}, at::kInt).copy_(at::full({}, 7.9)));
  DONE(at::zeros({2, 3}).copy_(doubles({1, 2})));
  DONE(at::zeros({3}).copy_(at::zeros({2, 3})));
  DONE(wide.copy_(x.narrow(1, 0, 1)));
  DONE(wide.fill_(1));
  DONE(wide.zero_());
  DONE(at::zeros({3}).expand({2, 3}).copy_(at::zeros({3})));
  Tensor v = doubles({1, 2, 3, 4, 5});
  DONE(v.slice(0, 0, 4).copy_(v.slice(0, 1, 5)));
  ALL(v.slice(0, 0, 3).copy_(v.slice(0, 0, 3)));
  ALL(v.copy_(v));
  ALL(at::zeros({3, 3}).t().copy_(longs({1, 2, 3})));
}

void views() {
  Tensor x = grid(), t = x.transpose(0, 1), gaps = x.slice(2, 0, 4, 2);
  Tensor wide = x.narrow(1, 0, 1).expand({2, 7, 4}), none = at::empty({0, 3}, at::kFloat);
  Tensor point = at::full({}, 2.5, at::kFloat),
         ones = at::empty_strided({1, 3, 1}, {7, 2, 9}, at::kFloat);
  SHARED(x, x.view({6, 4}));
  SHARED(x, x.view({-1}));
  SHARED(x, x.view({2, 3, 4}));
  SHARED(x, x.view({4, -1, 2}));
  DONE(x.view({5, -1}));
  DONE(x.view({-1, -1}));
  DONE(x.view({-2, 12}));
  DONE(x.view({7}));
  DONE(x.view({0, -1}));
  SHARED(t, t.view({3, 2, 2, 2}));
  DONE(t.view({6, 4}));
  DONE(t.view({-1}));
  SHARED(t, t.view({3, 1, 2, 4}));
  SHARED(t, t.view({3, 2, 4}));
  SHARED(gaps, gaps.view({6, 2}));
  SHARED(gaps, gaps.view({12}));
  SHARED(gaps, gaps.view({2, 3, 2}));
  SHARED(gaps, gaps.view({1, 6, 2, 1}));
  SHARED(wide, wide.view({2, 7, 2, 2}));
  DONE(wide.view({14, 4}));
  SHARED(none, none.view({3, 0}));
  SHARED(none, none.view({0, 3}));
  SHARED(none, none.view({5, 0, 2}));
  SHARED(none, none.view({-1, 3}));
  DONE(none.view({-1, 0}));
  DONE(none.view({-1}));
  SHARED(point, point.view({1, 1}));
  SHARED(point, point.view({-1}));
  SHARED(ones, ones.view({3}));
  SHARED(ones, ones.view({1, 1, 3}));
  SHARED(x, x.reshape({6, 4}));
  SHARED(x, x.reshape({2, 3, 4}));
  SHARED(t, t.reshape({3, 2, 2, 2}));
  SHARED(t, t.reshape({6, 4}));
  ALL(t.reshape({-1}));
  SHARED(gaps, gaps.reshape({6, 2}));
  SHARED(wide, wide.reshape({2, 7, 4}));
  SHARED(wide, wide.reshape({14, 4}));
  SHARED(none, none.reshape({3, 0}));
  SHARED(point, point.reshape({1}));
  DONE(x.reshape({5, 5}));
  SHARED(x, x.flatten());
  SHARED(x, x.flatten(1));
  SHARED(x, x.flatten(0, 1));
  SHARED(x, x.flatten(1, 1));
  SHARED(x, x.flatten(-2, -1));
  SHARED(t, t.flatten());
  SHARED(t, t.flatten(1, 2));
  SHARED(t, t.flatten(2, 2));
  SHARED(gaps, gaps.flatten(0, 1));
  SHARED(wide, wide.flatten(0, 1));
  SHARED(point, point.flatten());
  SHARED(none, none.flatten());
  DONE(x.flatten(2, 1));
  DONE(x.flatten(0, 3));
  DONE(x.flatten(-4));
  SHARED(x, x.expand({2, 3, 4}));
  SHARED(x, x.expand({-1, -1, -1}));
  SHARED(x, x.expand({5, 2, 3, 4}));
  SHARED(x, x.expand({1, 2, 3, 4}));
  SHARED(x, x.expand({6, 1, -1, 3, -1}));
  SHARED(x, x.narrow(1, 0, 1).expand({2, 7, -1}));
  SHARED(x, x.narrow(1, 0, 1).expand({3, -1, 7, 4}));
  SHARED(x, x.narrow(1, 0, 1).expand({2, 1, 4}));
  SHARED(x, x.narrow(1, 0, 1).expand({2, 0, 4}));
  SHARED(point, point.expand({2, 3}));
  SHARED(point, point.expand({1}));
  SHARED(point, point.expand({}));
  SHARED(none, none.expand({4, -1, 3}));
  DONE(x.expand({-1, 2, 3, 4}));
  DONE(x.expand({3, 4}));
  DONE(x.expand({2, 5, 4}));
  DONE(x.expand({2, 3, 4, 1}));
  DONE(x.narrow(1, 0, 1).expand({2, -2, 4}));
  DONE(x.expand({0, 3, 4}));
  SHARED(x, x.select(1, -1));
  SHARED(x, x[1]);
  SHARED(x, x[-1][2]);
  DONE(x.select(0, 2));
  DONE(x.select(0, -3));
  DONE(x.select(3, 0));
  DONE(point.select(0, 0));
  DONE(point[0]);
  DONE(none.select(0, 0));
  SHARED(x, x.slice(1, 1));
  SHARED(x, x.slice(2, -3, -1));
  SHARED(x, x.slice(2, 3, 1));
  SHARED(x, x.slice(2, 0, 4, 3));
  SHARED(x, x.slice(2, -100, 100, 2));
  SHARED(x, x.slice(1, 5, 9));
  SHARED(x, x.slice());
  DONE(x.slice(0, 0, 1, 0));
  DONE(x.slice(0, 0, 1, -1));
  DONE(point.slice(0));
  SHARED(x, x.narrow(2, 1, 2));
  SHARED(x, x.narrow(-1, -2, 2));
  SHARED(x, x.narrow(1, 3, 0));
  DONE(x.narrow(2, 1, 4));
  DONE(x.narrow(2, 1, -1));
  DONE(x.narrow(2, 5, 0));
  DONE(point.narrow(0, 0, 1));
  SHARED(x, x.permute({2, 0, 1}));
  SHARED(x, x.permute({-1, 0, 1}));
  SHARED(point, point.permute({}));
  DONE(x.permute({0, 1}));
  DONE(x.permute({0, 1, 1}));
  DONE(x.permute({0, 1, 3}));
  SHARED(x, x.transpose(0, -1));
  SHARED(x, x.transpose(1, 1));
  SHARED(point, point.transpose(0, 0));
  DONE(x.transpose(0, 3));
  DONE(x.t());
  SHARED(x, x[0].t());
  SHARED(x, x[0][0].t());
  SHARED(point, point.t());
  SHARED(x, x.unsqueeze(0));
  SHARED(x, x.unsqueeze(-1));
  SHARED(x, x.unsqueeze(1));
  SHARED(t, t.unsqueeze(2));
  SHARED(point, point.unsqueeze(0));
  DONE(x.unsqueeze(4));
  DONE(x.unsqueeze(-5));
  SHARED(ones, ones.squeeze());
  SHARED(ones, ones.squeeze(0));
  SHARED(ones, ones.squeeze(1));
  SHARED(ones, ones.squeeze(-1));
  SHARED(point, point.squeeze(0));
  SHARED(point, point.squeeze());
  DONE(ones.squeeze(3));
  NUMBER(x.size(-1));
  NUMBER(x.stride(0));
  DONE(x.size(3));
  DONE(point.size(0));
  DONE(point.stride(0));
  NUMBER(x.slice(2, 1).storage_offset());
  NUMBER((x.accessor<float, 3>()[1][2][3]));
  Tensor turned = x.permute({2, 0, 1});
  NUMBER((turned.accessor<float, 3>()[3][1][2]));
  DONE((void)x.accessor<float, 2>());
  DONE((void)x.accessor<double, 3>());
  DONE((void)x.data_ptr<double>());
  DONE((void)x.const_data_ptr<int>());
  DONE((void)x.mutable_data_ptr<at::Half>());
  BOOL(x.data_ptr<float>() == x.const_data_ptr<float>());
}

void assignments() {
  Tensor x = grid(), y = x;
  DONE(y[0][1] = 7.5);
  ALL(x.select(0, 0));
  DONE(y[1] = at::ones({4}));
  ALL(x.select(0, 1));
  DONE(y.select(0, 1).select(0, 2) = x[0][0]);
  ALL(x.select(0, 1));
  DONE(y[0] = at::ones({5}));
  Tensor z = at::zeros({2});
  z = y[0][2];
  SHARED(y, z);
  ALL(z);
  BOOL(y.is_same(x));
  y = at::zeros({1});
  BOOL(y.is_same(x));
  ALL(torch::cat({x, x.narrow(1, 0, 1)}, 1));
  ALL(torch::cat({x.transpose(0, 2), x.transpose(0, 2)}, -1));
  ALL(torch::cat({at::zeros({0}), at::ones({2})}));
  LAYOUT(torch::cat({at::zeros({0, 3}), at::ones({2, 3})}));
  LAYOUT(torch::cat({at::zeros({0})}));
  DONE(torch::cat({x, at::zeros({2, 3})}));
  DONE(torch::cat({x, at::zeros({2, 4, 4})}, 2));
  DONE(torch::cat({at::zeros({}), at::zeros({})}));
  DONE(torch::cat({x, x}, 3));
  DONE(torch::cat(std::vector<Tensor>()));
  ALL(torch::tensor(1.5));
  ALL(torch::tensor(3));
  ALL(torch::tensor(true));
  ALL(torch::tensor(1.5, torch::kFloat64));
  ALL(torch::tensor(2, at::kHalf));
  ALL(at::tensor(1.5));
  ALL(at::tensor(3, at::kFloat));
}

// --- Random tensors: what views and copies of them look like

struct Draw {
  uint64_t state;
  int64_t operator()(int64_t below) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return int64_t((state >> 33) % uint64_t(below));
  }
};
/// Permuted, cut, broadcast and reshaped some times.
Tensor drawn(Draw &draw) {
  std::vector<int64_t> sizes;
  int64_t count = 1;
  for (int64_t rank = draw(5); rank > 0; --rank)
    sizes.push_back(draw(12) == 0 ? 0 : 1 + draw(4));
  for (int64_t size : sizes)
    count *= size;
  Tensor t = at::empty(sizes, at::kFloat);
  for (int64_t i = 0; i < count; ++i)
    t.data_ptr<float>()[i] = float(i);
  for (int64_t turns = draw(4); turns > 0; --turns) {
    int64_t rank = t.dim(), dim = rank ? draw(rank) : 0;
    switch (draw(6)) {
    case 0:
      t = rank ? t.transpose(dim, draw(rank)) : t;
      break;
    case 1:
      t = rank ? t.slice(dim, draw(2), t.size(dim) - draw(2), 1 + draw(2)) : t;
      break;
    case 2:
      t = t.unsqueeze(draw(rank + 1));
      break;
    case 3:
      t = rank && t.size(dim) > 1 ? t.select(dim, 0) : t;
      break;
    case 4: {
      std::vector<int64_t> wanted(size_t(rank) + size_t(draw(2)), -1);
      for (size_t i = 0; i < wanted.size(); ++i) {
        size_t added = wanted.size() - size_t(rank);
        if (i < added)
          wanted[i] = 1 + draw(3);
        else if (t.size(int64_t(i - added)) == 1)
          wanted[i] = 1 + draw(3);
      }
      t = t.expand(wanted);
      break;
    }
    default:
      t = draw(2) ? t.squeeze() : rank ? t.squeeze(dim) : t;
    }
  }
  return t;
}
/// Sizes with the product of the tensor's, often with one of -1.
std::vector<int64_t> otherSizes(const Tensor &t, Draw &draw) {
  std::vector<int64_t> sizes;
  int64_t rest = t.numel();
  if (rest == 0)
    return {draw(3), 0, 1 + draw(2)};
  for (int64_t part = 2; rest > 1;)
    if (rest % part == 0) {
      rest /= part;
      if (!sizes.empty() && draw(2))
        sizes.back() *= part;
      else
        sizes.push_back(part);
    } else {
      ++part;
    }
  if (draw(2))
    sizes.insert(sizes.begin() + draw(int64_t(sizes.size()) + 1), 1);
  if (!sizes.empty() && draw(3) == 0)
    sizes[size_t(draw(int64_t(sizes.size())))] = -1;
  return sizes;
}
void random(int count) {
  for (int seed = 0; seed < count; ++seed) {
    Draw draw{uint64_t(seed) * 7919 + 17};
    Tensor t = drawn(draw);
    std::vector<int64_t> sizes = otherSizes(t, draw), same = t.sizes().vec();
    std::cout << "-- " << seed << ": " << layout(t) << " to [" << text(sizes) << "]\n";
    SHARED(t, t.clone());
    SHARED(t, t.to(at::kDouble));
    SHARED(t, t.contiguous());
    LAYOUT(at::empty_like(t));
    SHARED(t, t.view(sizes));
    SHARED(t, t.view(same));
    SHARED(t, t.reshape(sizes));
    SHARED(t, t.flatten());
    int64_t first = t.dim() ? draw(t.dim()) : 0;
    SHARED(t, t.flatten(first));
    BOOL(t.is_contiguous());
    BOOL(t.is_non_overlapping_and_dense());
    ALL(t.reshape(sizes));
    ALL(t.clone());
  }
}

} // namespace

int main(int count, char **arguments) {
  copies();
  views();
  assignments();
  random(count > 1 ? std::atoi(arguments[1]) : 20);
}
