internal import ProxydCOpenSSL

/// The TLS library in use.
public enum TLSLibrary {
    /// The version that the library loaded at run time reports: `OpenSSL 3.0.15 3 Sep 2024`.
    public static var version: String { String(cString: OpenSSL_version(OPENSSL_VERSION)) }
}
