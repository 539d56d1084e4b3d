# nginx with Portolan's configuration; the placeholders are filled in from PORTOLAN_NGINX_… .
FROM nginx:1.29-alpine
ENV NGINX_ENVSUBST_OUTPUT_DIR=/etc/nginx \
    NGINX_ENVSUBST_FILTER=^PORTOLAN_NGINX_
RUN rm /etc/nginx/conf.d/default.conf
COPY deploy/nginx/ /etc/nginx/templates/
CMD ["nginx", "-p", "/var/cache/nginx", "-c", "/etc/nginx/nginx.conf", "-g", "daemon off; user nginx; pid /var/run/nginx.pid;"]
