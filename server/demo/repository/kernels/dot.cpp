// Dot product of two vectors, the inner loop of a larger model.
#include <cstddef>

namespace tiny_trainer {

double dot(const double *left, const double *right, std::size_t count) {
    double sum = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        sum += left[i] * right[i];
    }
    return sum;
}

}  // namespace tiny_trainer
