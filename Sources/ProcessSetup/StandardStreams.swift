internal import Glibc

/// Standard input, output and error.
public enum StandardStreams {
    /// Occupies the descriptors that the parent process had closed. Otherwise the next opened file
    /// or connection would get the number, and with it the output meant for a person. Using an
    /// occupied descriptor fails with EBADF, so that nothing is lost unseen.
    public static func open() {
        // The lowest free number is what open(2) gives.
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) == -1 {
            _ = Glibc.open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
