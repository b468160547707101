import Capture
import Foundation
import ProxydCaptureModel
import ProxydControl
import ProxydEventLoops
import ProxydHTTPModel
import ProxydStoreTestSupport
import ProxydTestSupport
import Testing
@testable import proxyship

/// How a store learns how far it was delivered.
@Suite struct DeliveryNotesTests {
    private let store = TemporaryStore()
    private let progress = DeliveryProgress(through: 1, mark: .min, changesThrough: 1)
    private var notes: DeliveryNotes { DeliveryNotes(directory: store.directory) }

    @Test
    func `proxyship writes its delivery progress into the store itself if proxyd is not running`()
        throws
    {
        let recorder = try store.recorder()
        let ids = [recorder.recordSample("/a"), recorder.recordSample("/b")]
        try recorder.noteDelivery(DeliveryProgress(through: 0, mark: 1, changesThrough: 0))
        for id in ids { try recorder.annotate(AnnotationChange(id: id, note: "n")) }
        recorder.stop()
        try notes.note(progress)
        let state = try store.reader().deliveryState()
        #expect(state.deliveredThrough == 1)
        #expect(state.mark == Int64.min)
        #expect(state.lastExchangeID == 2)
        let left = try store.reader().changes(after: 0, limit: 9)
        #expect(left.map(\.sequence) == [2])
        // The store was given back.
        try store.recorder().stop()
    }

    @Test
    func `proxyship cannot write its delivery progress while another process has the store open`()
        throws
    {
        let recorder = try store.recorder()
        let error = #expect(throws: ShippingError.self) { try notes.note(progress) }
        let pid = ProcessInfo.processInfo.processIdentifier
        #expect(error?.message == "\(store.directory.storePath) is in use by process \(pid)")
        #expect(error?.isFinal == false)
        recorder.stop()
    }

    @Test
    func `proxyship sends its delivery progress to a running proxyd, not directly to the store`()
        throws
    {
        try store.recorder().stop()
        let daemon = try NotedDaemon(store.directory, refusal: nil)
        try notes.note(progress)
        #expect(
            daemon.handler.taken.all
                == [DeliveryProgress(through: 1, mark: .min, changesThrough: 1)])
        #expect(try store.reader().deliveryState().deliveredThrough == nil)
    }

    @Test
    func `if proxyd rejects proxyship's progress, proxyship fails and leaves the store unchanged`()
        throws
    {
        try store.recorder().stop()
        let daemon = try NotedDaemon(
            store.directory, refusal: ControlError(.failed, "the disk is full"))
        let error = #expect(throws: ShippingError.self) { try notes.note(progress) }
        #expect(error?.message == "the disk is full")
        #expect(error?.isFinal == false)
        #expect(daemon.handler.taken.count == 1)
        #expect(try store.reader().deliveryState().deliveredThrough == nil)
    }
}

/// A control socket on a data directory.
private final class NotedDaemon {
    let handler: NoteTaker
    private let server: ControlServer
    private let group: EventLoopGroup

    init(_ directory: DataDirectory, refusal: ControlError?) throws {
        handler = NoteTaker(refusal)
        group = try EventLoopGroup(count: 1)
        server = try ControlServer(
            dataDirectory: directory.path, on: group.loops[0], handler: handler)
    }

    deinit {
        server.stop()
        group.shutdown()
    }
}

/// A daemon that takes notes of deliveries, and nothing else.
private final class NoteTaker: ControlHandler {
    let taken = Collector<DeliveryProgress>()
    private let refusal: ControlError?

    init(_ refusal: ControlError?) { self.refusal = refusal }

    private static let nothing = ControlError(.failed, "not here")

    func noteDelivery(
        _ progress: DeliveryProgress, completion: @escaping ControlCompletion<Void>
    ) {
        taken.add(progress)
        guard let refusal else { return completion(.success(())) }
        completion(.failure(refusal))
    }

    func status(completion: @escaping ControlCompletion<DaemonStatus>) {
        completion(.failure(NoteTaker.nothing))
    }
    func serverRules(completion: @escaping ControlCompletion<ServerRulesStatus>) {
        completion(.failure(NoteTaker.nothing))
    }
    func clear(filter: String?, completion: @escaping ControlCompletion<Int>) {
        completion(.failure(NoteTaker.nothing))
    }
    func annotate(_ change: AnnotationChange, completion: @escaping ControlCompletion<Int>) {
        completion(.failure(NoteTaker.nothing))
    }
    func addProtoFile(_ file: ProtoFile, completion: @escaping ControlCompletion<Void>) {
        completion(.failure(NoteTaker.nothing))
    }
    func removeProtoFile(named name: String, completion: @escaping ControlCompletion<Void>) {
        completion(.failure(NoteTaker.nothing))
    }
    func nextExchangeID() -> ExchangeID { ExchangeID(rawValue: 1) }
    func nextConnectionID() -> ConnectionID { ConnectionID(rawValue: 1) }
    func importExchanges(
        connections: [ConnectionRecord], updates: [ExchangeUpdate],
        completion: @escaping ControlCompletion<Void>
    ) {
        completion(.failure(NoteTaker.nothing))
    }
    func setRecording(_ isOn: Bool, completion: @escaping ControlCompletion<Void>) {
        completion(.failure(NoteTaker.nothing))
    }
}
