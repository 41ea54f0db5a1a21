//! The handler: each method hands over to the file of its subject.

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams, CompleteResult,
    CompletionInfo, GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult, Implementation,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, Reference, ServerCapabilities,
    ServerConfig, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool,
    UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::task_manager::TaskManager;
use rmcp::{ErrorData, RoleServer, ServerHandler};

use crate::changes::Changes;
use crate::{prompts, resources, tools};

/// How long lists and resources may be cached; the suite wants any number.
pub(crate) const CACHE_MILLISECONDS: u64 = 60_000;

/// What all sessions and requests share.
#[derive(Clone, Default)]
pub(crate) struct Fixtures {
    pub(crate) tasks: TaskManager,
    pub(crate) changes: Changes,
}

type Context = RequestContext<RoleServer>;
type Answer<T> = Result<T, ErrorData>;

impl ServerHandler for Fixtures {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_logging()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_resources_subscribe()
            .enable_tasks()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new("conformance-fixtures", "1"))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::all().into_iter().find(|tool| tool.name == name)
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: Context,
    ) -> Answer<ListToolsResult> {
        Ok(tools::list())
    }

    async fn call_tool(&self, request: CallToolRequestParams, context: Context) -> Answer<CallToolResponse> {
        tools::call(self, request, context).await
    }

    async fn list_resources(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: Context,
    ) -> Answer<ListResourcesResult> {
        Ok(resources::list())
    }

    async fn list_resource_templates(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: Context,
    ) -> Answer<ListResourceTemplatesResult> {
        Ok(resources::templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: Context,
    ) -> Answer<ReadResourceResponse> {
        resources::read(&request.uri)
    }

    async fn subscribe(&self, _request: SubscribeRequestParams, _context: Context) -> Answer<()> {
        Ok(())
    }

    async fn unsubscribe(&self, _request: UnsubscribeRequestParams, _context: Context) -> Answer<()> {
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Answer<()> {
        self.changes.tell(&context).await;
        Ok(())
    }

    async fn list_prompts(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: Context,
    ) -> Answer<ListPromptsResult> {
        Ok(prompts::list())
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: Context,
    ) -> Answer<GetPromptResponse> {
        prompts::get(request)
    }

    async fn complete(&self, request: CompleteRequestParams, _context: Context) -> Answer<CompleteResult> {
        let values = match request.r#ref {
            Reference::Prompt(_) => vec!["paris".to_owned(), "park".to_owned()],
            _ => vec!["1".to_owned(), "2".to_owned()],
        };
        let info = CompletionInfo::new(values).map_err(|text| ErrorData::internal_error(text, None))?;
        Ok(CompleteResult::new(info))
    }

    async fn set_level(&self, _request: SetLevelRequestParams, _context: Context) -> Answer<()> {
        Ok(())
    }

    async fn get_task(&self, request: GetTaskParams, _context: Context) -> Answer<GetTaskResult> {
        Ok(GetTaskResult::new(self.tasks.get_task(&request.task_id)?))
    }

    async fn update_task(&self, request: UpdateTaskParams, _context: Context) -> Answer<()> {
        self.tasks.update_task(&request.task_id, request.input_responses)
    }

    async fn cancel_task(&self, request: CancelTaskParams, _context: Context) -> Answer<()> {
        self.tasks.cancel_task(&request.task_id)
    }
}
