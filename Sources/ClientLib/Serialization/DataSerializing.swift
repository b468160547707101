internal import ProxydEventLoops
internal import ProxydHTTPModel

/// Makes values from the response that a request has collected.
///
/// This is not part of the request protocol: it does not depend on the request's type, so the
/// compiler can specialise it for each of the library's serializers, without type metadata at run
/// time.
struct DataSerializing {
    let request: any ClientRequest

    /// A task that waits for a value.
    func task<Serializer: ResponseSerializer>(
        _ serializer: Serializer, isCancelling: Bool
    ) -> DataTask<Serializer.Output> {
        let promise = Promise<DataResponse<Serializer.Output>>()
        add(serializer) { promise.fulfil($0) }
        let request = request
        return DataTask(request: request) {
            guard isCancelling, !promise.isThere else { return await promise.value }
            return await withTaskCancellationHandler {
                await promise.value
            } onCancel: {
                request.cancel()
            }
        }
    }

    /// Adds a handler that gets the value.
    func add<Serializer: ResponseSerializer>(
        _ serializer: Serializer,
        _ deliver: @escaping @Sendable (DataResponse<Serializer.Output>) -> Void
    ) {
        let handler = ResponseHandler { completion, record in
            let result = serializer.result(of: completion)
            var timeline = record.timeline
            timeline.serializationCompletedTime = EventLoop.monotonicNow()
            let response = DataResponse(
                request: completion.request, response: completion.response,
                data: completion.data, timeline: timeline, result: result, attempts: record.attempts
            )
            return ResponseHandler.Outcome(error: response.error) { deliver(response) }
        }
        request.core.add(handler, to: request)
    }
}
