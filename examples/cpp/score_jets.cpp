// Scores of jets from a text file:
//
//     score_jets MODEL JETS.txt [THREADS]
//
// Each line of the file is a constituent, `px py pz E` in GeV and, for models that read it, its class; an empty line
// ends a jet. The first line of the output has the names of the model's outputs, each next line those of one jet,
// separated by tabs.
#include <jetgram/tagger.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

struct Constituents {
    std::vector<jetgram::FourMomentum> momenta;
    std::vector<int> classes;
};

std::vector<Constituents> read_jets(const std::string& file) {
    std::ifstream stream(file);
    if (!stream) throw std::runtime_error(file + " cannot be read");
    std::vector<Constituents> jets(1);
    std::string line;
    for (int number = 1; std::getline(stream, line); ++number) {
        if (line.empty()) {
            jets.emplace_back();
            continue;
        }
        const char* at = line.c_str();
        double p[4];
        for (double& component : p) {
            char* end = nullptr;
            component = std::strtod(at, &end);  // unlike >>, it understands `nan` and `inf`
            if (end == at)
                throw std::runtime_error(file + ", line " + std::to_string(number) + ": expected px py pz E");
            at = end;
        }
        jets.back().momenta.push_back({p[0], p[1], p[2], p[3]});
        if (int one; std::istringstream(at) >> one) jets.back().classes.push_back(one);
    }
    if (jets.back().momenta.empty()) jets.pop_back();
    return jets;
}

int main(int count, char** arguments) {
    if (count < 3 || count > 4) {
        std::cerr << "usage: score_jets MODEL JETS.txt [THREADS]\n";
        return 2;
    }
    try {
        const jetgram::Tagger tagger(arguments[1]);
        const std::vector<Constituents> constituents = read_jets(arguments[2]);
        std::vector<jetgram::Jet> jets;
        for (const Constituents& jet : constituents) jets.push_back({jet.momenta, jet.classes});
        const std::vector<double> outputs = tagger.outputs(jets, count > 3 ? std::atoi(arguments[3]) : 1);
        const std::size_t columns = tagger.names().size();
        for (std::size_t i = 0; i < columns; ++i) std::cout << (i ? "\t" : "") << tagger.names()[i];
        std::cout << "\n";
        for (std::size_t i = 0; i < outputs.size(); ++i)
            std::printf("%.17g%c", outputs[i], (i + 1) % columns ? '\t' : '\n');
    } catch (const std::exception& error) {
        std::cerr << "score_jets: " << error.what() << "\n";
        return 1;
    }
}
