#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ocsp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

// OpenSSL's macros and variadic functions are invisible to Swift: each gets a wrapper here,
// prefixed copenssl_.

static inline long copenssl_ctx_set_mode(SSL_CTX *context, long mode) {
    return SSL_CTX_set_mode(context, mode);
}

static inline void copenssl_ctx_forbid_compression_and_renegotiation(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
}

static inline int copenssl_ctx_set_min_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_min_proto_version(context, version);
}

static inline int copenssl_ctx_set_max_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_max_proto_version(context, version);
}

static inline long copenssl_ctx_set_session_cache_mode(SSL_CTX *context, long mode) {
    return SSL_CTX_set_session_cache_mode(context, mode);
}

static inline void copenssl_ctx_set_servername_callback(
    SSL_CTX *context, int (*callback)(SSL *, int *, void *)) {
    SSL_CTX_set_tlsext_servername_callback(context, callback);
}

static inline int copenssl_set_server_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}

static inline int copenssl_add_chain_certificate(SSL *ssl, X509 *certificate) {
    return (int)SSL_add1_chain_cert(ssl, certificate);
}

static inline int copenssl_set_app_data(SSL *ssl, void *data) {
    return SSL_set_app_data(ssl, data);
}

static inline void *copenssl_get_app_data(const SSL *ssl) {
    return SSL_get_app_data(ssl);
}

static inline EVP_PKEY *copenssl_generate_p256_key(void) {
    return EVP_EC_gen("P-256");
}

static inline void copenssl_set_retry_read(BIO *bio) {
    BIO_set_retry_read(bio);
}

static inline void copenssl_clear_retry_flags(BIO *bio) {
    BIO_clear_retry_flags(bio);
}

static inline int copenssl_print_name(BIO *bio, const X509_NAME *name) {
    return X509_NAME_print_ex(bio, name, 0, XN_FLAG_RFC2253);
}

static inline long copenssl_memory_bytes(BIO *bio, char **bytes) {
    return BIO_get_mem_data(bio, bytes);
}

static inline int copenssl_x509_count(const STACK_OF(X509) *stack) {
    return sk_X509_num(stack);
}

static inline X509 *copenssl_x509_at(const STACK_OF(X509) *stack, int index) {
    return sk_X509_value(stack, index);
}

static inline GENERAL_NAMES *copenssl_names_new(void) {
    return sk_GENERAL_NAME_new_null();
}

static inline int copenssl_names_append(GENERAL_NAMES *names, GENERAL_NAME *name) {
    return sk_GENERAL_NAME_push(names, name);
}

static inline int copenssl_names_count(const GENERAL_NAMES *names) {
    return sk_GENERAL_NAME_num(names);
}

static inline GENERAL_NAME *copenssl_names_at(const GENERAL_NAMES *names, int index) {
    return sk_GENERAL_NAME_value(names, index);
}

static inline int copenssl_ctx_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

static inline int copenssl_set_verify_store(SSL *ssl, X509_STORE *store) {
    return (int)SSL_set1_verify_cert_store(ssl, store);
}

static inline STACK_OF(X509) *copenssl_x509_stack_new(void) {
    return sk_X509_new_null();
}

static inline int copenssl_x509_push(STACK_OF(X509) *stack, X509 *certificate) {
    return sk_X509_push(stack, certificate);
}

// Frees the stack, not what is on it.
static inline void copenssl_x509_stack_free(STACK_OF(X509) *stack) {
    sk_X509_free(stack);
}

static inline void copenssl_x509_stack_free_all(STACK_OF(X509) *stack) {
    sk_X509_pop_free(stack, X509_free);
}

static inline STACK_OF(X509_CRL) *copenssl_crl_stack_new(void) {
    return sk_X509_CRL_new_null();
}

static inline int copenssl_crl_push(STACK_OF(X509_CRL) *stack, X509_CRL *list) {
    return sk_X509_CRL_push(stack, list);
}

static inline int copenssl_crl_count(const STACK_OF(X509_CRL) *stack) {
    return sk_X509_CRL_num(stack);
}

static inline void copenssl_crl_stack_free_all(STACK_OF(X509_CRL) *stack) {
    sk_X509_CRL_pop_free(stack, X509_CRL_free);
}

static inline long copenssl_ask_for_stapled_status(SSL *ssl) {
    return SSL_set_tlsext_status_type(ssl, TLSEXT_STATUSTYPE_ocsp);
}

// The bytes stapled to the server's certificate, or a negative number for none.
static inline long copenssl_stapled_status(SSL *ssl, const unsigned char **bytes) {
    return SSL_get_tlsext_status_ocsp_resp(ssl, bytes);
}

static inline long copenssl_ctx_set_stapled_status_callback(
    SSL_CTX *context, int (*callback)(SSL *, void *)) {
    return SSL_CTX_set_tlsext_status_cb(context, callback);
}

static inline int copenssl_peer_authority_count(const SSL *ssl) {
    const STACK_OF(X509_NAME) *names = SSL_get0_peer_CA_list(ssl);
    return names == NULL ? 0 : sk_X509_NAME_num(names);
}

static inline X509_NAME *copenssl_peer_authority_at(const SSL *ssl, int index) {
    return sk_X509_NAME_value(SSL_get0_peer_CA_list(ssl), index);
}

static inline int copenssl_integer_count(const STACK_OF(ASN1_INTEGER) *stack) {
    return sk_ASN1_INTEGER_num(stack);
}

static inline ASN1_INTEGER *copenssl_integer_at(
    const STACK_OF(ASN1_INTEGER) *stack, int index) {
    return sk_ASN1_INTEGER_value(stack, index);
}

static inline int copenssl_subtree_count(const STACK_OF(GENERAL_SUBTREE) *stack) {
    return sk_GENERAL_SUBTREE_num(stack);
}

static inline GENERAL_SUBTREE *copenssl_subtree_at(
    const STACK_OF(GENERAL_SUBTREE) *stack, int index) {
    return sk_GENERAL_SUBTREE_value(stack, index);
}

static inline long copenssl_ctx_set_max_certificate_list(SSL_CTX *context, long byte_count) {
    return SSL_CTX_set_max_cert_list(context, byte_count);
}

// Whether the value of an extension is what its type says; yes where OpenSSL does not know it.
static inline int copenssl_extension_is_readable(X509_EXTENSION *extension) {
    const X509V3_EXT_METHOD *method = X509V3_EXT_get(extension);
    if (method == NULL) return 1;
    void *value = X509V3_EXT_d2i(extension);
    if (value == NULL) return 0;
    if (method->it != NULL) {
        ASN1_item_free(value, ASN1_ITEM_ptr(method->it));
    } else {
        method->ext_free(value);
    }
    return 1;
}
