/// A replay whose body is compared and not kept.
final class ReplayRequest: ClientRequest {
    let core: RequestCore

    init(_ core: RequestCore) { self.core = core }

    /// Sends it and waits for its end; why it failed. Cancelled with its task.
    func finished() async -> ClientError? {
        let promise = Promise<ClientError?>()
        core.add(
            ResponseHandler { completion, _ in
                ResponseHandler.Outcome(error: nil) { promise.fulfil(completion.error) }
            }, to: self)
        resume()
        return await withTaskCancellationHandler {
            await promise.value
        } onCancel: {
            cancel()
        }
    }
}
