/// What is known of a request when its handlers run.
struct RequestRecord: Sendable {
    /// When everything happened.
    var timeline: RequestTimeline
    /// Every attempt: redirects, answered challenges and retries included.
    let attempts: [AttemptRecord]
}
