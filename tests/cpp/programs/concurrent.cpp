// concurrent MODEL: eight threads score the same jets at the same time with one tagger, one by one and in batches, and
// among them jets that are refused. Prints how many scores were compared; any difference ends the program.
#include <jetgram/tagger.hpp>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <random>
#include <thread>
#include <vector>

std::vector<std::vector<jetgram::FourMomentum>> make_jets(int count) {
    std::mt19937 random(1702);
    std::uniform_real_distribution<double> flat(-1, 1);
    std::vector<std::vector<jetgram::FourMomentum>> jets(count);
    for (auto& jet : jets)
        for (int i = 0, n = 1 + static_cast<int>(random() % 80); i < n; ++i) {
            const double px = 10 + 3 * flat(random), py = 4 * flat(random), pz = 4 * flat(random);
            jet.push_back({px, py, pz, std::sqrt(px * px + py * py + pz * pz)});
        }
    return jets;
}

[[noreturn]] void fail(const char* what) {
    std::cerr << what << std::endl;
    std::_Exit(1);
}

int main(int, char** arguments) {
    const jetgram::Tagger tagger(arguments[1]);
    const auto momenta = make_jets(300);
    std::vector<jetgram::Jet> jets;
    for (const auto& jet : momenta) jets.push_back({jet});
    const std::vector<double> expected = tagger.score(jets);
    std::atomic<std::size_t> compared{0};
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 8; ++thread)
        threads.emplace_back([&, thread] {
            for (int round = 0; round < 3; ++round) {
                if (tagger.score(jets, 1 + thread % 4) != expected) fail("a batch has other scores");
                for (std::size_t i = thread % 3; i < jets.size(); i += 3, ++compared)
                    if (tagger.score(momenta[i]) != expected[i]) fail("a jet has another score");
                try {
                    tagger.score(std::vector<jetgram::FourMomentum>{{0, 3, 4, 1}});
                    fail("an unphysical jet has a score");
                } catch (const jetgram::BadJetError&) {
                }
            }
        });
    for (std::thread& thread : threads) thread.join();
    std::cout << compared << std::endl;
}
