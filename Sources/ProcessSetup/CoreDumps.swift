internal import Glibc

/// What a crash leaves behind.
public enum CoreDumps {
    /// Writes none: the process holds the authority's key and captured secrets.
    public static func disable() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    }
}
