// load MODEL...: tries to load each model, and prints a line each: its digest, or `error:` and why there is none.
#include <jetgram/tagger.hpp>

#include <iostream>

int main(int count, char** arguments) {
    for (int i = 1; i < count; ++i) {
        try {
            std::cout << jetgram::Tagger(arguments[i]).digest() << std::endl;
        } catch (const jetgram::ModelError& error) {
            std::cout << "error: " << error.what() << std::endl;
        }
    }
}
