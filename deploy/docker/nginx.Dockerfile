# nginx with Portolan's configuration; the placeholders are filled in from PORTOLAN_NGINX_… .
FROM nginx:1.29-alpine
ENV NGINX_ENVSUBST_OUTPUT_DIR=/etc/nginx \
    NGINX_ENVSUBST_FILTER=^PORTOLAN_NGINX_
# The user of the application's image: both write into one folder of logs.
RUN rm /etc/nginx/conf.d/default.conf \
    && adduser -D -H -u 1000 portolan \
    && install -d -o portolan /data/log
COPY deploy/nginx/ /etc/nginx/templates/
CMD ["nginx", "-p", "/var/cache/nginx", "-c", "/etc/nginx/nginx.conf", "-g", "daemon off; user portolan; pid /var/run/nginx.pid;"]
