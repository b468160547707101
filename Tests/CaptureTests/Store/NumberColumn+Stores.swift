import ProxydStoreTestSupport
import ProxydTestSupport
@testable import Capture

extension NumberColumn {
    /// All of a store.
    static let ofStores: [NumberColumn] = {
        let store = TemporaryStore()
        guard let recorder = try? store.recorder() else { return [] }
        recorder.stop()
        return (try? all(in: store.directory.storePath)) ?? []
    }()
}
