/* The functions of BLAS and LAPACK that OpenCV calls, with 32-bit integers, on those of NumPy's OpenBLAS, which has
 * 64-bit integers. resources/packaging/blas.py says why. Results that are integers are copied back.
 * Interfaces: netlib.org/lapack and the C interface to BLAS (Blackford et al. 2002, appendix B). */

#include <stdint.h>
#include <stdlib.h>

typedef int64_t wide;

/* LAPACK's `info` for "the algorithm did not finish", when there is no memory for the integers. */
enum { NOT_FINISHED = 1 };

#define GEMM(kind, scalar)                                                                                       \
    void scipy_cblas_##kind##gemm64_(int, int, int, wide, wide, wide, scalar, const void *, wide, const void *,  \
                                     wide, scalar, void *, wide);                                                \
    void cblas_##kind##gemm(int order, int ta, int tb, int m, int n, int k, scalar alpha, const void *a,         \
                            int lda, const void *b, int ldb, scalar beta, void *c, int ldc) {                    \
        scipy_cblas_##kind##gemm64_(order, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                \
    }

GEMM(s, float)
GEMM(d, double)
GEMM(c, const void *)
GEMM(z, const void *)

/* `count` pivots of a function that sets them, copied back. */
#define WITH_PIVOTS(count, call)                                                                                 \
    wide pivots = (count);                                                                                       \
    wide *wide_pivots = malloc((size_t)(pivots > 0 ? pivots : 1) * sizeof(wide));                                \
    if (wide_pivots == NULL) {                                                                                   \
        *info = NOT_FINISHED;                                                                                    \
        return;                                                                                                  \
    }                                                                                                            \
    call;                                                                                                        \
    for (wide i = 0; wide_info >= 0 && i < pivots; i++) pivot[i] = (int)wide_pivots[i];                          \
    free(wide_pivots);

#define LAPACK(kind, real)                                                                                       \
    void scipy_##kind##getrf_64_(wide *, wide *, real *, wide *, wide *, wide *);                                \
    void kind##getrf_(int *m, int *n, real *a, int *lda, int *pivot, int *info) {                                \
        wide m_ = *m, n_ = *n, lda_ = *lda, wide_info = 0;                                                       \
        WITH_PIVOTS(m_ < n_ ? m_ : n_, scipy_##kind##getrf_64_(&m_, &n_, a, &lda_, wide_pivots, &wide_info))     \
        *info = (int)wide_info;                                                                                  \
    }                                                                                                            \
    void scipy_##kind##gesv_64_(wide *, wide *, real *, wide *, wide *, real *, wide *, wide *);                 \
    void kind##gesv_(int *n, int *nrhs, real *a, int *lda, int *pivot, real *b, int *ldb, int *info) {           \
        wide n_ = *n, nrhs_ = *nrhs, lda_ = *lda, ldb_ = *ldb, wide_info = 0;                                    \
        WITH_PIVOTS(n_, scipy_##kind##gesv_64_(&n_, &nrhs_, a, &lda_, wide_pivots, b, &ldb_, &wide_info))        \
        *info = (int)wide_info;                                                                                  \
    }                                                                                                            \
    void scipy_##kind##potrf_64_(char *, wide *, real *, wide *, wide *);                                        \
    void kind##potrf_(char *uplo, int *n, real *a, int *lda, int *info) {                                        \
        wide n_ = *n, lda_ = *lda, wide_info = 0;                                                                \
        scipy_##kind##potrf_64_(uplo, &n_, a, &lda_, &wide_info);                                                \
        *info = (int)wide_info;                                                                                  \
    }                                                                                                            \
    void scipy_##kind##posv_64_(char *, wide *, wide *, real *, wide *, real *, wide *, wide *);                 \
    void kind##posv_(char *uplo, int *n, int *nrhs, real *a, int *lda, real *b, int *ldb, int *info) {           \
        wide n_ = *n, nrhs_ = *nrhs, lda_ = *lda, ldb_ = *ldb, wide_info = 0;                                    \
        scipy_##kind##posv_64_(uplo, &n_, &nrhs_, a, &lda_, b, &ldb_, &wide_info);                               \
        *info = (int)wide_info;                                                                                  \
    }                                                                                                            \
    void scipy_##kind##geqrf_64_(wide *, wide *, real *, wide *, real *, real *, wide *, wide *);                \
    void kind##geqrf_(int *m, int *n, real *a, int *lda, real *tau, real *work, int *lwork, int *info) {         \
        wide m_ = *m, n_ = *n, lda_ = *lda, lwork_ = *lwork, wide_info = 0;                                      \
        scipy_##kind##geqrf_64_(&m_, &n_, a, &lda_, tau, work, &lwork_, &wide_info);                             \
        *info = (int)wide_info;                                                                                  \
    }                                                                                                            \
    void scipy_##kind##gels_64_(char *, wide *, wide *, wide *, real *, wide *, real *, wide *, real *, wide *,  \
                                wide *);                                                                         \
    void kind##gels_(char *trans, int *m, int *n, int *nrhs, real *a, int *lda, real *b, int *ldb, real *work,   \
                     int *lwork, int *info) {                                                                    \
        wide m_ = *m, n_ = *n, nrhs_ = *nrhs, lda_ = *lda, ldb_ = *ldb, lwork_ = *lwork, wide_info = 0;          \
        scipy_##kind##gels_64_(trans, &m_, &n_, &nrhs_, a, &lda_, b, &ldb_, work, &lwork_, &wide_info);          \
        *info = (int)wide_info;                                                                                  \
    }                                                                                                            \
    void scipy_##kind##gesdd_64_(char *, wide *, wide *, real *, wide *, real *, real *, wide *, real *, wide *, \
                                 real *, wide *, wide *, wide *);                                                \
    void kind##gesdd_(char *job, int *m, int *n, real *a, int *lda, real *s, real *u, int *ldu, real *vt,        \
                      int *ldvt, real *work, int *lwork, int *iwork, int *info) {                                \
        wide m_ = *m, n_ = *n, lda_ = *lda, ldu_ = *ldu, ldvt_ = *ldvt, lwork_ = *lwork, wide_info = 0;          \
        wide least = m_ < n_ ? m_ : n_;                                                                          \
        /* Only room to work in, 8 integers for each singular value. The caller's has half the bytes. */        \
        wide *wide_iwork = malloc((size_t)(least > 0 ? 8 * least : 1) * sizeof(wide));                           \
        (void)iwork;                                                                                             \
        if (wide_iwork == NULL) {                                                                                \
            *info = NOT_FINISHED;                                                                                \
            return;                                                                                              \
        }                                                                                                        \
        scipy_##kind##gesdd_64_(job, &m_, &n_, a, &lda_, s, u, &ldu_, vt, &ldvt_, work, &lwork_, wide_iwork,     \
                                &wide_info);                                                                     \
        free(wide_iwork);                                                                                        \
        *info = (int)wide_info;                                                                                  \
    }

LAPACK(s, float)
LAPACK(d, double)

void scipy_dgeev_64_(char *, char *, wide *, double *, wide *, double *, double *, double *, wide *, double *, wide *,
                     double *, wide *, wide *);
void dgeev_(char *left, char *right, int *n, double *a, int *lda, double *wr, double *wi, double *vl, int *ldvl,
            double *vr, int *ldvr, double *work, int *lwork, int *info) {
    wide n_ = *n, lda_ = *lda, ldvl_ = *ldvl, ldvr_ = *ldvr, lwork_ = *lwork, wide_info = 0;
    scipy_dgeev_64_(left, right, &n_, a, &lda_, wr, wi, vl, &ldvl_, vr, &ldvr_, work, &lwork_, &wide_info);
    *info = (int)wide_info;
}
