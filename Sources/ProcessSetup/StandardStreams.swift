internal import Glibc

/// Standard input, output and error.
public enum StandardStreams {
    /// Takes the places of those that whoever started us had closed: what is opened next would get
    /// the number, and a connection or an exported file what is meant for a person. Whoever uses
    /// them all the same is told that they are closed (EBADF): nothing is lost unseen.
    public static func open() {
        // The lowest free number is what open(2) gives.
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) == -1 {
            _ = Glibc.open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
