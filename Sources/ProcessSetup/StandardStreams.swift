internal import Glibc

/// Standard input, output and error.
public enum StandardStreams {
    /// Opens `/dev/null` on those descriptors that the parent process had closed. Otherwise the
    /// next file or connection would get the number, and with it output meant for a person. Reading
    /// or writing there fails with EBADF, so that nothing is lost silently.
    public static func open() {
        // The lowest free number is what open(2) gives.
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) == -1 {
            _ = Glibc.open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
