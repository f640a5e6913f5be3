"""Multiplies two matrices in pure Python and prints, for each row of the product, the seconds it took and its numbers.

Arguments: a file of 32-bit floats, so many rows of the first matrix and then all of the second; how many rows; their length.
"""

import array
import sys
import time


# [begin: triple-loop]
def row_of_product(a_row, b, n):
    c_row = []
    for j in range(n):
        total = 0.0
        for k in range(n):
            total += a_row[k] * b[k][j]
        c_row.append(total)
    return c_row
# [end: triple-loop]


rows, n = int(sys.argv[2]), int(sys.argv[3])
numbers = array.array("f", open(sys.argv[1], "rb").read()).tolist()
a = [numbers[i * n:(i + 1) * n] for i in range(rows)]
b = [numbers[(rows + k) * n:(rows + k + 1) * n] for k in range(n)]
for a_row in a:
    start = time.perf_counter()
    c_row = row_of_product(a_row, b, n)
    print(time.perf_counter() - start, *c_row)
