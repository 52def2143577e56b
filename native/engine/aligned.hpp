// Memory for the kernels: aligned to a cache line, not initialised, and kept when less is asked for.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace jetgram::engine {

class AlignedFloats {
   public:
    // Room for `count` floats; the contents are undefined.
    float* reserve(std::size_t count) {
        if (count > capacity_) {
            floats_.reset();  // first, so that old and new never exist together
            capacity_ = 0;    // also if there is no room for the new
            floats_.reset(static_cast<float*>(::operator new(count * sizeof(float), ALIGNMENT)));
            capacity_ = count;
        }
        return floats_.get();
    }

    float* data() const { return floats_.get(); }

   private:
    static constexpr std::align_val_t ALIGNMENT{64};
    struct Free {
        void operator()(float* p) const { ::operator delete(p, ALIGNMENT); }
    };
    std::unique_ptr<float, Free> floats_;
    std::size_t capacity_ = 0;
};

}  // namespace jetgram::engine
