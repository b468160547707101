internal import Glibc
public import ProxydCaptureModel

/// Waits for a store that another process holds: most programs write to it for milliseconds.
public enum StoreRetry {
    private static let delayUs: UInt32 = 50_000
    private static let retriesPerSecond = 20

    /// Makes an attempt, and makes it again every 50 ms while it throws `StoreError.busy`, for as
    /// long as given. Before each wait, `mayWait` is asked; the error is thrown if it says no.
    public static func whileBusy<Value>(
        seconds: Int, mayWait: (StoreError) -> Bool = { _ in true }, attempt: () throws -> Value
    ) throws -> Value {
        var retryCount = 0
        while true {
            do {
                return try attempt()
            } catch let error as StoreError {
                guard case .busy = error, retryCount < seconds * retriesPerSecond, mayWait(error)
                else { throw error }
                retryCount += 1
                usleep(delayUs)
            }
        }
    }
}
