internal import ProxydCLinuxProcess
internal import Glibc

/// What a crash leaves behind, and who may look into the process while it runs.
public enum CoreDumps {
    /// Writes none: the process holds the authority's key and captured secrets.
    ///
    /// The limit alone would not do: the kernel ignores it where dumps go to a program
    /// (`kernel.core_pattern` with a pipe). A process that may not be dumped may not be traced
    /// either, nor its memory read, by other programs of its user; root still may.
    public static func disable() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        _ = clinuxprocess_set_dumpable(0)
    }
}
