internal import ProxydCLinuxProcess
internal import Glibc

/// What a crash leaves behind, and who may look into the process while it runs.
public enum CoreDumps {
    /// Disables core dumps: the process holds the authority's key and captured secrets.
    ///
    /// The limit alone is not enough: the kernel ignores it where dumps go to a program
    /// (`kernel.core_pattern` with a pipe). A process that may not be dumped cannot be traced
    /// either, nor its memory read, by other programs of its user; root still can.
    public static func disable() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        _ = clinuxprocess_set_dumpable(0)
    }
}
