"""Routes `/webhooks`."""

from typing import Annotated

from fastapi import APIRouter, Path

from service.web.envelope import failures
from service.web.routing import api_router
from service.web.security import Caller, require
from service.webhooks.service import WebhookService
from shared.record.codes import Permission
from shared.wire.common import Done, Envelope, Id
from shared.wire.webhooks import Delivery, NewWebhook, Webhook, WebhookCreate, WebhookUpdate

IdPath = Annotated[Id, Path()]


def router(service: WebhookService) -> APIRouter:
    """The routes of `service`."""
    routes = api_router("/webhooks", tags=["webhooks"], responses=failures(401, 403))
    manage = require(Permission.SETTINGS_MANAGE)
    manage_now = require(Permission.SETTINGS_MANAGE, recent_password=True)

    @routes.get("")
    async def list_webhooks(_caller: Caller = manage) -> Envelope[list[Webhook]]:
        """Return all webhooks, oldest first."""
        return Envelope(data=await service.list_all(), msg="Webhook 列表获取成功")

    @routes.post("", responses=failures(409, 413, 422))
    async def create_webhook(body: WebhookCreate, caller: Caller = manage_now) -> Envelope[NewWebhook]:
        """Create a webhook. Only this answer contains its secret.

        Requires a password login of the last ten minutes, as every change of a webhook does.
        """
        return Envelope(data=await service.create(body, caller), msg="Webhook 创建成功")

    @routes.put("/{webhook_id}", responses=failures(404, 413, 422))
    async def update_webhook(
        webhook_id: IdPath, body: WebhookUpdate, caller: Caller = manage_now
    ) -> Envelope[Webhook]:
        """Change the fields that are sent. Pending deliveries are sent when the webhook is resumed."""
        return Envelope(data=await service.update(webhook_id, body, caller), msg="Webhook 更新成功")

    @routes.delete("/{webhook_id}", responses=failures(404, 422))
    async def delete_webhook(webhook_id: IdPath, caller: Caller = manage_now) -> Done:
        """Delete a webhook and its pending deliveries."""
        await service.delete(webhook_id, caller)
        return Done(msg="Webhook 删除成功")

    @routes.post("/{webhook_id}/test", responses=failures(404, 422))
    async def test_webhook(webhook_id: IdPath, caller: Caller = manage_now) -> Envelope[Delivery]:
        """Send the event `webhook.test` once, and return the result."""
        return Envelope(data=await service.test(webhook_id, caller), msg="测试已发送")

    @routes.get("/{webhook_id}/deliveries", responses=failures(404, 422))
    async def list_deliveries(webhook_id: IdPath, _caller: Caller = manage) -> Envelope[list[Delivery]]:
        """Return the last deliveries of a webhook, newest first."""
        return Envelope(data=await service.deliveries(webhook_id), msg="推送记录获取成功")

    return routes
