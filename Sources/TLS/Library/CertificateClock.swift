internal import Glibc

/// The wall clock by which certificates are valid.
public enum CertificateClock {
    /// Seconds since 1970.
    public static func now() -> Int { time(nil) }
}
