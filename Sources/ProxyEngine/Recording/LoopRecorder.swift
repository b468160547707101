internal import ProxydEventLoops
internal import ProxydHTTPModel

/// Opens the records of the exchanges of one loop, and knows whether the recorder has room.
/// Confined to the loop.
final class LoopRecorder {
    let loop: EventLoop
    let sink: any ExchangeSink
    private let settings: LoopSettings
    let taps: TapRegistry

    init(loop: EventLoop, sink: any ExchangeSink, settings: LoopSettings) {
        self.loop = loop
        self.sink = sink
        self.settings = settings
        taps = TapRegistry(loop: loop)
    }

    /// Opens a record, and registers it for the recording tick.
    @inline(__always)
    func openTap(of client: ConnectionID, _ timeline: Timeline) -> ExchangeTap {
        ExchangeTap(
            sink: sink, registry: taps, clientConnection: client, timeline: timeline,
            keptByteCountMax: settings.configuration.bodyCaptureByteCountMax)
    }

    /// Whether sources should be paused because the recorder cannot keep up.
    var isCongested: Bool { sink.isCongested && settings.configuration.slowsClientsWhenCongested }

    /// Calls back on this loop once the recorder has room again.
    func whenDrained(_ resume: @escaping () -> Void) {
        let bound = LoopBound(resume, loop: loop)
        sink.whenDrained { [loop] in loop.execute { bound.value() } }
    }
}
