internal import ProxydPresentation
internal import ClientLib
internal import Dispatch
internal import Synchronization
internal import ProxydSystem

/// Runs a replay for a command, which waits for it: results are printed as they arrive.
struct ReplayCommandRun: Sendable {
    /// The time between checks for an interruption.
    private static let interruptionInterval = DispatchTimeInterval.milliseconds(50)

    /// How a run ended.
    struct Ending: Sendable {
        var report: ReplayReport
        var failure: (any Error)?
    }

    let run: ReplayRun
    /// The share of the whole that is done after a result, from 0 to 1; the count is the number of
    /// results so far.
    let fraction: @Sendable (ReplayResult, _ count: Int) -> Double

    /// Sends everything from a source. An interruption aborts pending requests.
    func perform(
        _ source: sending some ReplaySource & SendableMetatype, _ report: ReplayReport,
        _ isInterrupted: () -> Bool
    ) -> Ending {
        let ended = DispatchSemaphore(value: 0)
        let box = EndingBox(Ending(report: report, failure: nil))
        let task = Task {
            box.ending.withLock { [ending = await send(source, report)] in $0 = ending }
            ended.signal()
        }
        while ended.wait(timeout: .now() + ReplayCommandRun.interruptionInterval) == .timedOut {
            if isInterrupted() { task.cancel() }
        }
        return box.ending.withLock { $0 }
    }

    private final class EndingBox: Sendable {
        let ending: Mutex<Ending>
        init(_ ending: Ending) { self.ending = Mutex(ending) }
    }

    private func send(_ source: some ReplaySource, _ report: ReplayReport) async -> Ending {
        var ending = Ending(report: report, failure: nil)
        var progress = ProgressBar("replaying")
        do {
            try await run.run(source) { result in
                progress.finish()
                ending.report.add(result)
                let count = ending.report.sentCount + ending.report.refusedCount
                progress.show(
                    fraction(result, count), Quantity.count(count, "request"),
                    now: SystemClock.wallNow())
                return !ending.report.isOutputGone
            }
        } catch {
            ending.failure = error
        }
        progress.finish()
        return ending
    }
}
