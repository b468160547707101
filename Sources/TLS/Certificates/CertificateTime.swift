internal import ProxydCOpenSSL
internal import Glibc

/// Converts times in certificates, which are in UTC with a precision of a second.
enum CertificateTime {
    /// Seconds since 1970; 0 if the time is invalid.
    static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int {
        var parts = tm()
        guard let time, ASN1_TIME_to_tm(time, &parts) == 1 else { return 0 }
        return timegm(&parts)
    }

    /// `2024-01-01`, in UTC.
    static func date(_ time: UnsafePointer<ASN1_TIME>?) -> String {
        var parts = tm()
        guard let time, ASN1_TIME_to_tm(time, &parts) == 1 else { return "an unreadable date" }
        let year = Int(parts.tm_year) + 1_900
        return "\(year)-\(twoDigits(parts.tm_mon + 1))-\(twoDigits(parts.tm_mday))"
    }

    private static func twoDigits(_ number: Int32) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
