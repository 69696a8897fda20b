// A program of C++ that asks a table: FILE M, prints how the answer was found, the index and the configuration.
#include <asctune.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char **argv)
{
	char error[256];
	asctune_table *table = nullptr;
	if (argc != 3 || asctune_open(argv[1], 0, &table, error, sizeof error) != ASCTUNE_OK) {
		std::printf("%s\n", error);
		return 1;
	}
	const asctune_size sizes[] = {{"m", std::atoll(argv[2])}, {"n", 4096}};
	const asctune_type types[] = {{nullptr, "float16"}};
	const int64_t active[] = {0, 1, 2};
	const asctune_question question = {"gemm", "nvidia", "NVIDIA H200", types, 1, sizes, 2, active, 3};
	asctune_answer answer;
	asctune_ask(table, &question, &answer);
	std::printf("%d %lld %s\n", answer.found, static_cast<long long>(answer.index), answer.config);
	asctune_close(table);
}
