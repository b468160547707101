public import Foundation

extension Process {
    /// Starts the program with no signal blocked: threads that run tests block most signals, and
    /// a program inherits the mask of the thread that starts it.
    public func runWithSignals() throws {
        var none = sigset_t()
        var former = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        try run()
    }
}
