// vramp in a C++ program: the same as c_abi.c with several frames in flight, and errors as exceptions.
//
//   c++ -std=c++17 -O2 -Iplugin-abi/include samples/c_abi.cpp -Ltarget/plugin -lvramp -Wl,-rpath,$PWD/target/plugin -o c_abi_cpp
//   ./c_abi_cpp --filters
//   ffmpeg -i in.mp4 -pix_fmt yuv420p -f rawvideo - | ./c_abi_cpp 1280 720 "deband=range=16,depth=10" > out.yuv
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "vramp.h"

namespace vramp {

// The status, unless it is an error.
vramp_status check(vramp_status status) {
    if (status < 0) throw std::runtime_error(vramp_last_error());
    return status;
}

template <class T>
T sized() {
    T value{};
    value.struct_size = sizeof value;
    return value;
}

struct Destroy {
    void operator()(vramp_chain *chain) const { vramp_chain_destroy(chain); }
    void operator()(vramp_queue *queue) const { vramp_queue_destroy(queue); }
};
using Chain = std::unique_ptr<vramp_chain, Destroy>;
using Queue = std::unique_ptr<vramp_queue, Destroy>;

Chain chain(const std::string &text, const vramp_stream &input) {
    vramp_chain *made = nullptr;
    check(vramp_chain_create(text.c_str(), &input, nullptr, &made));
    return Chain(made);
}

Queue queue(const Chain &chain, std::uint32_t depth) {
    vramp_queue *made = nullptr;
    check(vramp_queue_create(chain.get(), depth, &made));
    return Queue(made);
}

// A 4:2:0 picture without gaps.
struct Picture {
    std::vector<unsigned char> bytes;
    vramp_planes planes = sized<vramp_planes>();

    Picture(Picture &&) = default;
    explicit Picture(const vramp_stream &stream) {
        const std::size_t sample = stream.bit_depth > 8 ? 2 : 1;
        std::size_t starts[3], total = 0;
        for (int i = 0; i < 3; i++) {
            const std::size_t width = i ? (stream.width + 1) / 2 : stream.width;
            const std::size_t height = i ? (stream.height + 1) / 2 : stream.height;
            planes.pitch[i] = static_cast<std::int64_t>(width * sample);
            starts[i] = total;
            total += width * sample * height;
        }
        bytes.resize(total);
        for (int i = 0; i < 3; i++) planes.data[i] = bytes.data() + starts[i];
    }
};

}  // namespace vramp

// Every filter and its parameters, as a program would show them.
static void list_filters() {
    for (std::uint32_t filter = 0; filter < vramp_filter_count(); filter++) {
        auto info = vramp::sized<vramp_filter_info>();
        vramp::check(vramp_filter_get(filter, &info));
        std::printf("%s: %s\n", info.name, info.summary);
        for (std::uint32_t i = 0; i < info.parameters; i++) {
            auto parameter = vramp::sized<vramp_parameter_info>();
            vramp::check(vramp_filter_parameter(filter, i, &parameter));
            std::printf("  %s = %s", parameter.name, parameter.default_value);
            if (parameter.kind == VRAMP_INT || parameter.kind == VRAMP_FLOAT)
                std::printf(" (%g to %g)", parameter.minimum, parameter.maximum);
            for (std::uint32_t word = 0; word < parameter.choices_count; word++)
                std::printf("%s%s", word ? ", " : ": ", parameter.choices[word]);
            std::printf("\n");
        }
    }
}

static void filter(vramp_stream input, const std::string &text) {
    constexpr std::uint32_t in_flight = 4;
    const vramp::Chain chain = vramp::chain(text, input);
    auto output = vramp::sized<vramp_stream>();
    vramp::check(vramp_chain_output(chain.get(), &output));

    // Declared before the queue, which is therefore gone before they are.
    std::vector<vramp::Picture> sources, results;
    for (std::uint32_t i = 0; i < in_flight; i++) {
        sources.emplace_back(input);
        results.emplace_back(output);
    }
    const vramp::Queue queue = vramp::queue(chain, in_flight);
    const auto receive = [&] {
        void *user = nullptr;
        if (vramp::check(vramp_queue_receive(queue.get(), 1, &user)) == VRAMP_EMPTY) return false;
        const auto &bytes = static_cast<vramp::Picture *>(user)->bytes;
        if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size()) throw std::runtime_error("cannot write");
        return true;
    };

    auto frame = vramp::sized<vramp_frame>();
    for (;; frame.index++) {
        // The frame that used these pictures before has been received.
        if (frame.index >= in_flight) receive();
        auto &src = sources[frame.index % in_flight], &dst = results[frame.index % in_flight];
        if (std::fread(src.bytes.data(), 1, src.bytes.size(), stdin) != src.bytes.size()) break;
        vramp::check(vramp_queue_submit(queue.get(), &frame, &src.planes, &dst.planes, &dst));
    }
    while (receive()) {}
    std::fprintf(stderr, "%llu frames of %d bits\n", static_cast<unsigned long long>(frame.index), output.bit_depth);
}

int main(int argc, char **argv) try {
    if (argc == 2 && argv[1] == std::string("--filters")) {
        list_filters();
        return 0;
    }
    if (argc != 4) {
        std::fprintf(stderr, "usage: %s WIDTH HEIGHT CHAIN < in.yuv > out.yuv\n       %s --filters\n", argv[0], argv[0]);
        return 2;
    }
    auto input = vramp::sized<vramp_stream>();
    input.layout = VRAMP_YUV420;
    input.bit_depth = 8;
    input.width = std::stoi(argv[1]);
    input.height = std::stoi(argv[2]);
    filter(input, argv[3]);
    return std::fflush(stdout) != 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
