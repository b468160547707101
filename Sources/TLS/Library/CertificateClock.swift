internal import Glibc

/// The wall clock used to check the validity of certificates.
public enum CertificateClock {
    /// Seconds since 1970.
    public static func now() -> Int { time(nil) }
}
