// parts json | sha256: of each line of the input, the JSON text that models are sealed over (or `error:`), or the SHA-256.
#include <iostream>
#include <stdexcept>
#include <string>

#include "model/json.hpp"
#include "model/sha256.hpp"

int main(int, char** arguments) {
    const bool json = std::string(arguments[1]) == "json";
    for (std::string line; std::getline(std::cin, line);) try {
            std::cout << (json ? jetgram::json::dump(jetgram::json::parse(line)) : jetgram::sha256(line)) << "\n";
        } catch (const std::invalid_argument& error) {
            std::cout << "error: " << error.what() << "\n";
        }
}
