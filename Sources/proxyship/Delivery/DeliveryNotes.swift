internal import Capture
internal import ProxydCaptureModel
internal import ProxydControl

/// Tells the local store how far it was delivered: through the daemon if one is running, otherwise
/// as the store's only writer.
struct DeliveryNotes {
    /// How long the daemon may take, in nanoseconds.
    private static let timeoutNs: Int64 = 30_000_000_000

    let directory: DataDirectory

    func note(_ progress: DeliveryProgress) throws(ShippingError) {
        do throws(ControlError) {
            let daemon = try ControlClient(
                dataDirectory: directory.path, timeoutNs: DeliveryNotes.timeoutNs)
            return try daemon.noteDelivery(
                DeliveryMessage(
                    through: progress.through, mark: progress.mark,
                    changesThrough: progress.changesThrough))
        } catch {
            guard error.kind == .notRunning else { throw .local(error.message) }
        }
        do throws(StoreError) {
            var configuration = RecorderConfiguration()
            configuration.durability = .always
            configuration.retention = RetentionPolicy()
            let recorder = try Recorder(directory: directory, configuration: configuration)
            defer { recorder.stop() }
            try recorder.wait { recorder.noteDelivery(progress, completion: $0) }
        } catch {
            throw .local(error.description)
        }
    }
}
