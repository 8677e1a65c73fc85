import sys
N=int(sys.argv[1])
T="CREATE TABLE t (k STRING, a BIGINT, b BIGINT) WITH ('connector'='kafka');\nCREATE TABLE s (k STRING, x BIGINT) WITH ('connector'='kafka');\n"
def J(f): return T+"EXECUTE STATEMENT SET BEGIN\n"+"".join(f"INSERT INTO s SELECT k, {f} FROM t WHERE b > {i} GROUP BY k;\n" for i in range(N))+"END;"
open('ia.sql','w').write(J("SUM(a)")); open('ib.sql','w').write(J("SUM(a)+MAX(a)"))
