internal import ProxydHTTPModel

extension RequestCore {
    /// Whether any caller wants progress for each piece of a response.
    var reportsDownloadProgress: Bool {
        read { !$0.listeners.isEmpty || !$0.onDownloadProgress.isEmpty }
    }

    /// Whether any caller wants progress for each piece of a request's body.
    var reportsUploadProgress: Bool {
        read { !$0.listeners.isEmpty || !$0.onUploadProgress.isEmpty }
    }

    /// Whether the head of a response is needed before its body.
    var wantsHeadAtOnce: Bool {
        consumer?.wantsPiecesAtOnce == true || reportsDownloadProgress
            || read { !$0.headHandlers.isEmpty }
    }

    func noteDownload(_ progress: TransferProgress) {
        let handlers = change { state in
            state.downloadProgress = progress
            return state.onDownloadProgress
        }
        for handler in handlers { handler(progress) }
        emit(.didReceiveBody(progress))
    }

    func noteUpload(_ progress: TransferProgress) {
        let handlers = change { state in
            state.uploadProgress = progress
            return state.onUploadProgress
        }
        for handler in handlers { handler(progress) }
        emit(.didSend(progress))
    }
}
