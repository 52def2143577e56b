// time_scores MODEL JETS.bin: for each line of the input, `batch` or `single`, scores all jets in one thread, and prints
// the seconds of processor time and the sum of the scores. The file holds the number of jets, how many constituents each
// has, and all momenta: 64-bit integers, then doubles.
#include <jetgram/tagger.hpp>

#include <cstdint>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

int main(int, char** arguments) {
    const jetgram::Tagger tagger(arguments[1]);
    std::ifstream file(arguments[2], std::ios::binary);
    const auto read = [&](auto& values) {
        file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof values[0]));
    };
    std::vector<std::int64_t> count(1);
    read(count);
    std::vector<std::int64_t> sizes(count[0]);
    read(sizes);
    std::vector<jetgram::FourMomentum> momenta(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}));
    read(momenta);
    if (!file) return 1;
    std::vector<jetgram::Jet> jets;
    for (const jetgram::FourMomentum* at = momenta.data(); const std::int64_t size : sizes) {
        jets.push_back({{at, static_cast<std::size_t>(size)}});
        at += size;
    }
    for (std::string how; std::getline(std::cin, how);) {
        const std::clock_t start = std::clock();
        double sum = 0;
        if (how == "batch")
            for (const double score : tagger.score(jets)) sum += score;
        else
            for (const jetgram::Jet& jet : jets) sum += tagger.score(jet);
        std::printf("%.9g %.12g\n", static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, sum);
        std::fflush(stdout);
    }
}
